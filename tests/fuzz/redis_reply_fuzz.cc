// Fuzzes the reader of Redis' replies. Promises: every way to cut the bytes gives the same replies, and an
// error in all of them or in none, which stays; what is held is within its bounds; a reply that is written
// again reads the same.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "fuzz/fuzz.h"
#include "fuzz/reply_text.h"
#include "store/redis/reply.h"
#include "store/redis/reply_reader.h"

namespace sluice::fuzz {
namespace {

using store::redis::Reply;
using store::redis::ReplyLimits;
using store::redis::ReplyReader;

std::string written(const Reply& reply) {
  std::string out;
  append_reply(out, reply);
  return out;
}

std::size_t held_by(const Reply& reply) {
  std::size_t bytes = sizeof(Reply) + reply.text.size();
  for (const Reply& item : reply.items) bytes += held_by(item);
  return bytes;
}

struct Heard {
  std::string replies;
  bool failed = false;
  bool operator==(const Heard&) const = default;
};

Heard hear(std::string_view bytes, const std::vector<std::size_t>& cuts, const ReplyLimits& limits) {
  Heard heard;
  ReplyReader reader(limits);
  for_each_piece(bytes, cuts, [&](std::string_view piece) {
    if (heard.failed) return;
    reader.feed(piece);
    while (true) {
      const auto reply = reader.next();
      heard.failed = !reply;
      if (!reply || !*reply) break;
      SLUICE_ASSERT(held_by(**reply) <= limits.max_bytes + sizeof(Reply));
      SLUICE_ASSERT((*reply)->items.size() <= limits.max_elements);
      heard.replies += written(**reply);
    }
    if (!heard.failed) return;
    const auto again = reader.next();
    SLUICE_ASSERT(!again && !again.error().message.empty());
  });
  return heard;
}

bool has_lines(const Reply& reply) {
  const bool is_line = reply.kind == Reply::Kind::status || reply.kind == Reply::Kind::error;
  if (is_line && reply.text.find_first_of("\r\n") != std::string::npos) return true;
  for (const Reply& item : reply.items) {
    if (has_lines(item)) return true;
  }
  return false;
}

}  // namespace

void run(std::string_view bytes) {
  const ReplyLimits small{.max_bytes = 4 * sizeof(Reply), .max_elements = 3};
  for (const ReplyLimits& limits : {ReplyLimits{}, small}) {
    const Heard whole = hear(bytes, {}, limits);
    for (const auto& cuts : ways_to_cut(bytes)) SLUICE_ASSERT(hear(bytes, cuts, limits) == whole);
  }
  for (const Reply& reply : replies_of(bytes)) {
    if (has_lines(reply)) continue;
    const auto again = replies_of(written(reply));
    SLUICE_ASSERT(again.size() == 1 && written(again[0]) == written(reply));
  }
}

}  // namespace sluice::fuzz
