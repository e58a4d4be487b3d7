#include "store/redis/attach_codec.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "limiter/limit.h"
#include "limiter/ticks.h"
#include "store/redis/lineage.h"
#include "store/redis/reply.h"
#include "store/redis/script_codec.h"

// What the arguments are and how an answer is laid out is said once, in scripts/attach.lua and announce.lua.
namespace sluice::store::redis {
namespace {

using std::chrono::microseconds;

/// Ages beyond it are told as it: far longer than anything waits, and it fits a Duration.
constexpr microseconds kOldest = std::chrono::days{1};

/// An array of exactly these kinds.
bool holds(const Reply& reply, std::initializer_list<Reply::Kind> kinds) {
  return reply.kind == Reply::Kind::array && std::ranges::equal(reply.items, kinds, {}, &Reply::kind);
}

bool is_time(std::int64_t us) {
  return us >= 0 && us <= limiter::kMaxInteger;
}

std::optional<WallTime> server_time_of(std::int64_t us) {
  if (us == 0) return std::nullopt;
  return WallTime{microseconds{us}};
}

/// "a b c", in any order. Nothing: these are no ids.
std::optional<std::vector<std::string>> parse_members(std::string_view text) {
  std::vector<std::string> members;
  while (!text.empty()) {
    const std::string_view id = text.substr(0, text.find(' '));
    if (id.empty() || id.find_first_not_of("0123456789abcdef") != std::string_view::npos) return std::nullopt;
    members.emplace_back(id);
    text.remove_prefix(std::min(text.size(), id.size() + 1));
  }
  std::ranges::sort(members);
  return members;
}

std::string text_of(WallTime t) {
  return std::to_string(limiter::floor_us(t));
}

std::string text_of(std::span<const std::string> members) {
  std::string text;
  for (const std::string& id : members) text.append(text.empty() ? "" : " ").append(id);
  return text;
}

}  // namespace

Arguments encode_attach(const AttachRequest& request) {
  return {std::string(request.self),
          text_of(request.client_time),
          std::string(request.nonce),
          request.nothing_to_lose ? "1" : "0",
          std::to_string(std::chrono::ceil<microseconds>(request.repair_timeout).count()),
          text_of(request.members)};
}

Arguments encode_announce(const Lineage& lineage, std::string_view self, WallTime client_time,
                          Announcement announcement) {
  return {std::string(self), text_of(client_time), std::to_string(lineage.generation), lineage.run,
          announcement == Announcement::leaving ? "1" : "0"};
}

Result<Attached> decode_attach(const Reply& reply) {
  constexpr auto kInteger = Reply::Kind::integer;
  constexpr auto kString = Reply::Kind::string;
  if (!holds(reply, {kInteger, kString, kInteger, kInteger, kString, kInteger, kInteger, kInteger, kString,
                     kInteger})) {
    return unexpected_answer("attach", reply);
  }
  const std::vector<Reply>& items = reply.items;
  auto lines = parse_lines(items[4].text);
  auto members = parse_members(items[8].text);
  Attached attached{.lineage = {.generation = items[0].integer, .run = items[1].text},
                    .seq = items[2].integer,
                    .acknowledged = items[5].integer != 0,
                    .is_new = items[6].integer != 0,
                    .replicas = items[7].integer};
  if (attached.seq < 0 || !is_time(items[3].integer) || !is_time(items[9].integer) || !members || !lines ||
      lines->empty() || lines->back().lineage != attached.lineage) {
    return unexpected_answer("attach", reply);
  }
  attached.server_time = server_time_of(items[3].integer);
  attached.age = microseconds{std::min(items[9].integer, kOldest.count())};
  attached.lines = *std::move(lines);
  attached.members = *std::move(members);
  return attached;
}

Result<Announced> decode_announce(const Reply& reply) {
  if (!holds(reply, {Reply::Kind::integer, Reply::Kind::integer, Reply::Kind::string})) {
    return unexpected_answer("announce", reply);
  }
  const std::int64_t status = reply.items[0].integer;
  const std::int64_t now_us = reply.items[1].integer;
  auto members = parse_members(reply.items[2].text);
  const bool sound = status >= 0 && status <= std::to_underlying(Answered::other_lineage);
  if (!sound || !is_time(now_us) || !members) return unexpected_answer("announce", reply);
  return Announced{
      .other_lineage = status != 0, .server_time = server_time_of(now_us), .members = *std::move(members)};
}

}  // namespace sluice::store::redis
