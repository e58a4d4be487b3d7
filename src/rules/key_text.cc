// Keys, read back for people.
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/address.h"
#include "base/hash.h"
#include "base/text.h"
#include "rules/key.h"

namespace sluice::rules {
namespace {

/// Takes `count` bytes from the front of `bytes`; nothing when there are fewer.
std::optional<std::string_view> take(std::string_view& bytes, std::size_t count) {
  if (bytes.size() < count) return std::nullopt;
  const std::string_view front = bytes.substr(0, count);
  bytes.remove_prefix(count);
  return front;
}

/// The beginning of a digest: enough to tell a few from each other, too little to find one by.
std::string short_digest(std::string_view digest) {
  constexpr std::size_t kShown = 4;
  std::string out = "#";
  for (const char byte : digest.substr(0, kShown))
    out += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return out;
}

std::string short_digest(const Sha256& digest) {
  return short_digest({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

/// What follows the tag of a text: its length, ':' and the bytes.
std::optional<std::string_view> take_text(std::string_view& rest) {
  const std::size_t colon = rest.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto length = parse_int(rest.substr(0, colon));
  if (!length || *length < 0) return std::nullopt;
  rest.remove_prefix(colon + 1);
  return take(rest, static_cast<std::size_t>(*length));
}

std::optional<std::string> take_address(std::string_view& rest, char tag, int ipv6_prefix) {
  const bool is_ipv6 = tag == Address::kTagIpv6;
  const int bits = is_ipv6 ? Address::kIpv6Bits : Address::kIpv4Bits;
  const auto bytes = take(rest, static_cast<std::size_t>(bits) / 8);
  if (!bytes) return std::nullopt;
  const std::string text =
      Address::from_bytes(is_ipv6 ? Address::Kind::ipv6 : Address::Kind::ipv4, *bytes).text();
  return is_ipv6 && ipv6_prefix < bits ? fmt::format("{}/{}", text, ipv6_prefix) : text;
}

/// One value, as append_parts wrote it.
std::optional<std::string> take_value(std::string_view& rest, int ipv6_prefix, bool secret) {
  const auto tag = take(rest, 1);
  if (!tag) return std::nullopt;
  switch (tag->front()) {
    case Address::kTagIpv4:
    case Address::kTagIpv6:
      return take_address(rest, tag->front(), ipv6_prefix);
    case 't':
    case 'x': {
      const auto text = take_text(rest);
      if (!text) return std::nullopt;
      return secret ? short_digest(sha256(*text)) : printable(*text);
    }
    case 's': {
      const auto digest = take(rest, sizeof(Sha256));
      if (!digest) return std::nullopt;
      return short_digest(*digest);
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<std::string> describe_encoded_key(const KeyPlan& plan, std::string_view key,
                                                std::span<const std::string> secrets) {
  const std::size_t name = plan.rule.size();
  if (!key.starts_with(plan.rule) || key.size() <= name || key[name] != '/') return std::nullopt;
  std::string_view rest = key.substr(name + 1);
  if (rest.starts_with('#') && rest.size() == 1 + sizeof(Sha256)) return short_digest(rest.substr(1));
  if (plan.parts.empty()) return rest.empty() ? std::optional<std::string>("*") : std::nullopt;
  std::string out;
  for (const KeyPart& part : plan.parts) {
    const bool secret = std::ranges::find(secrets, part.descriptor) != secrets.end();
    const auto value = take_value(rest, plan.ipv6_prefix, secret);
    if (!value) return std::nullopt;
    if (!out.empty()) out += ' ';
    out += printable(part.descriptor) + '=' + *value;
  }
  return rest.empty() ? std::optional(out) : std::nullopt;
}

}  // namespace sluice::rules
