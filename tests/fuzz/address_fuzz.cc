// Fuzzes addresses as people and peers write them. Promises: what was read, written again, reads the same;
// a block holds its network; a host can be shown; a refusal is one printable line.
#include <string>
#include <string_view>

#include "base/address.h"
#include "base/assert.h"
#include "base/connector.h"
#include "base/result.h"
#include "fuzz/fuzz.h"
#include "net/socket_address.h"

namespace sluice::fuzz {
namespace {

void check_error(const Error& error) {
  SLUICE_ASSERT(!error.message.empty());
  for (const char c : error.message) SLUICE_ASSERT(static_cast<unsigned char>(c) >= ' ');
}

void check_address(std::string_view text) {
  if (const auto address = Address::parse(text)) {
    SLUICE_ASSERT(Address::parse(address->text()) == address && !address->is_mapped_ipv4());
  }
  if (const auto address = Address::parse_unmapped(text)) {
    SLUICE_ASSERT(Address::parse_unmapped(address->text()) == address);
    SLUICE_ASSERT(address->masked(address->bits()) == *address);
    const Address none = address->masked(0);
    for (const char byte : none.form().substr(1)) SLUICE_ASSERT(byte == 0);
  }
  if (const auto cidr = parse_cidr(text)) {
    SLUICE_ASSERT(cidr->prefix >= 0 && cidr->prefix <= cidr->network.bits());
    SLUICE_ASSERT(cidr->contains(cidr->network));
    const auto again = parse_cidr(cidr->network.text() + "/" + std::to_string(cidr->prefix));
    SLUICE_ASSERT(again && again->network == cidr->network && again->prefix == cidr->prefix);
  } else {
    check_error(cidr.error());
  }
}

void check_endpoint(std::string_view text) {
  const auto endpoint = Endpoint::parse(text);
  if (!endpoint) {
    check_error(endpoint.error());
    return;
  }
  SLUICE_ASSERT(endpoint->path.empty() == (endpoint->port > 0));
  SLUICE_ASSERT(endpoint->path.empty() != endpoint->host.empty());
  for (const char c : endpoint->host) SLUICE_ASSERT(c > ' ' && c < '\x7f');
  const auto again = Endpoint::parse(endpoint->text());
  SLUICE_ASSERT(again && *again == *endpoint);
}

void check_shard(std::string_view text) {
  const auto shard = ShardAddress::parse(text);
  if (!shard) {
    check_error(shard.error());
    return;
  }
  SLUICE_ASSERT(!shard->name.empty());
  if (shard->name == text) return;
  const auto again = ShardAddress::parse(shard->name + "=" + shard->endpoint.text());
  SLUICE_ASSERT(again && again->name == shard->name && again->endpoint == shard->endpoint);
}

void check_socket(std::string_view text) {
  const auto address = net::SocketAddress::parse(text);
  if (!address) {
    check_error(address.error());
    return;
  }
  SLUICE_ASSERT(!text.contains('\0'));
  const auto again = net::SocketAddress::parse(address->text());
  SLUICE_ASSERT(again && again->text() == address->text());
}

}  // namespace

void run(std::string_view bytes) {
  check_address(bytes);
  check_endpoint(bytes);
  check_shard(bytes);
  check_socket(bytes);
}

}  // namespace sluice::fuzz
