#include "store/redis/sentinel_replies.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/connector.h"
#include "base/result.h"
#include "base/text.h"
#include "store/redis/errors.h"
#include "store/redis/reply.h"

namespace sluice::store::redis {

std::optional<Endpoint> endpoint_of(std::string_view host, std::string_view port) {
  constexpr std::size_t kLongestHost = 255;
  const auto number = parse_int(port);
  if (!number || *number < 1 || *number > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
  // What a resolver, a log and the next reply can hold; a zero byte would end the name early.
  const bool plain = std::ranges::all_of(host, is_graphic);
  // "?" is how servers say that they do not know it.
  if (host.empty() || host == "?" || host.size() > kLongestHost || !plain) return std::nullopt;
  return Endpoint{.host = std::string(host), .port = static_cast<std::uint16_t>(*number)};
}

Result<std::optional<Endpoint>> parse_master_address(const Reply& reply) {
  if (reply.kind == Reply::Kind::nil) return std::nullopt;
  if (reply.kind == Reply::Kind::error) return failure(for_people(reply.text));
  if (reply.items.size() == 2) {
    if (auto endpoint = endpoint_of(reply.items[0].text, reply.items[1].text)) return endpoint;
  }
  return failure("it answered with something that is no address");
}

std::optional<std::uint64_t> parse_config_epoch(const Reply& reply) {
  for (std::size_t i = 0; i + 1 < reply.items.size(); i += 2) {
    if (reply.items[i].text != "config-epoch") continue;
    const auto epoch = parse_int(reply.items[i + 1].text);
    if (epoch && *epoch >= 0) return static_cast<std::uint64_t>(*epoch);
  }
  return std::nullopt;
}

std::optional<MasterSwitch> parse_switch(std::string_view text) {
  std::array<std::string_view, 5> words;
  for (std::string_view& word : words) {
    const std::size_t space = text.find(' ');
    word = text.substr(0, space);
    text = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
  }
  const auto from = endpoint_of(words[1], words[2]);
  const auto to = endpoint_of(words[3], words[4]);
  if (words[0].empty() || !text.empty() || !from || !to) return std::nullopt;
  return MasterSwitch{.master = std::string(words[0]), .from = *from, .to = *to};
}

}  // namespace sluice::store::redis
