// Fuzzes what the Lua scripts answer: any reply as the answer of any of them, and any text as the lines of
// histories. Promises: numbers are within what the store's contract allows; what was decoded, encoded again,
// decodes to the same; a refusal says why.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/time.h"
#include "fuzz/fuzz.h"
#include "fuzz/reply_text.h"
#include "limiter/limit.h"
#include "store/redis/attach_codec.h"
#include "store/redis/lineage.h"
#include "store/redis/reply.h"
#include "store/redis/script_codec.h"
#include "store/store.h"

namespace sluice::fuzz {
namespace {

using namespace store::redis;
using std::chrono::microseconds;

Reply number(std::int64_t n) {
  return {.kind = Reply::Kind::integer, .integer = n};
}

std::int64_t us_of(Duration d) {
  if (d == kNever) return -1;
  return d == Duration::max() ? -2 : d / microseconds{1};
}

void check_answer(const Reply& reply) {
  const auto answer = decode_answer(reply);
  if (!answer) {
    SLUICE_ASSERT(!answer.error().message.empty());
    return;
  }
  SLUICE_ASSERT(answer->now.time_since_epoch() >= Duration::zero());
  if (answer->answered != Answered::done) return;
  const store::Grant& grant = answer->grant;
  for (const std::int64_t tokens : {grant.granted_needs, grant.granted_extra, grant.remaining})
    SLUICE_ASSERT(tokens >= 0 && tokens <= limiter::kMaxInteger);
  SLUICE_ASSERT(grant.retry_after >= kNever && grant.reset_after >= Duration::zero());
  SLUICE_ASSERT(!grant.ends_after || *grant.ends_after >= Duration::zero());
  const Reply again{
      .kind = Reply::Kind::array,
      .items = {number(0), number(grant.granted_needs), number(grant.granted_extra), number(grant.remaining),
                number(us_of(grant.retry_after)), number(us_of(grant.reset_after)),
                number(grant.ends_after ? us_of(*grant.ends_after) : -1),
                number(us_of(answer->now.time_since_epoch())), number(static_cast<std::int64_t>(grant.seq))}};
  SLUICE_ASSERT(std::ranges::equal(again.items, reply.items, {}, &Reply::integer, &Reply::integer));
}

void check_members(const std::vector<std::string>& members) {
  SLUICE_ASSERT(std::ranges::is_sorted(members));
  for (const std::string& id : members) {
    SLUICE_ASSERT(!id.empty() && id.find_first_not_of("0123456789abcdef") == std::string::npos);
  }
}

void check_attach(const Reply& reply) {
  const auto attached = decode_attach(reply);
  if (!attached) {
    SLUICE_ASSERT(!attached.error().message.empty());
    return;
  }
  check_members(attached->members);
  SLUICE_ASSERT(attached->seq >= 0 && !attached->lines.empty());
  SLUICE_ASSERT(attached->lines.back().lineage == attached->lineage);
  SLUICE_ASSERT(!attached->lineage.run.empty());
}

void check_announce(const Reply& reply) {
  const auto announced = decode_announce(reply);
  if (announced) {
    check_members(announced->members);
  } else {
    SLUICE_ASSERT(!announced.error().message.empty());
  }
}

void check_lines(std::string_view text) {
  const auto lines = parse_lines(text);
  if (!lines) return;
  std::string again;
  for (const LineageLine& line : *lines) {
    SLUICE_ASSERT(!line.lineage.run.empty());
    again += std::to_string(line.lineage.generation) + " " + line.lineage.run + " " +
             std::to_string(line.start) + "\n";
    // Of a history that is there twice, which no script writes, less may be proven than is held.
    const bool once = std::ranges::count(*lines, line.lineage, &LineageLine::lineage) == 1;
    if (once && line == lines->back()) SLUICE_ASSERT(last_held(*lines, line.lineage) > line.start);
  }
  SLUICE_ASSERT(parse_lines(again) == lines);
}

}  // namespace

void run(std::string_view bytes) {
  check_lines(bytes);
  for (const Reply& reply : replies_of(bytes)) {
    check_answer(reply);
    check_attach(reply);
    check_announce(reply);
    for (const Reply& item : reply.items) check_lines(item.text);
  }
}

}  // namespace sluice::fuzz
