// Requests of the store's contract as arguments of the scripts, and the scripts' answers back. No I/O.
//
// Every number crosses as a decimal integer of at most 2^53 − 1 in size, in either direction: Lua's numbers
// are doubles, and Redis cuts the fraction off what a script returns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "limiter/limit.h"
#include "store/redis/reply.h"
#include "store/store.h"

namespace sluice::store::redis {

/// Which history the data of a shard has: attach names it, and every other script refuses to work on another.
/// Opaque but for equality.
struct Lineage {
  std::int64_t generation = 0;
  std::string run{};
  bool operator==(const Lineage&) const = default;
};

/// What is the same for many calls.
struct CallContext {
  Lineage lineage{};
  /// Nothing: the server's own clock counts. Else the server has none that scripts may read, and this is it.
  std::optional<WallTime> client_time{};
  /// About what the clock that counts shows, to choose the civil days or months that go with a calendar
  /// limit.
  WallTime expected_now{};
};

/// ARGV of each script; KEYS are always the counter and the shard's meta key. (attach: the meta key only.)
using Arguments = std::vector<std::string>;
/// `nonce` names the data if it has no name yet: random, so that emptied data is told from what it was
/// before.
[[nodiscard]] Arguments encode_attach(std::string_view nonce);
[[nodiscard]] Arguments encode_lease(const CallContext& context, const LeaseRequest& request);
[[nodiscard]] Arguments encode_give_back(const CallContext& context, const GiveBack& request);
[[nodiscard]] Arguments encode_peek(const CallContext& context, const limiter::Limit& limit,
                                    std::int64_t cost);
[[nodiscard]] Arguments encode_reset(const CallContext& context, const limiter::Limit& limit);

struct Attached {
  Lineage lineage{};
  std::int64_t seq = 0;
  std::optional<WallTime> server_time{};  ///< nothing: scripts of this server cannot read a clock
};
[[nodiscard]] Result<Attached> decode_attach(const Reply& reply);

/// Nothing was changed unless it is `done`.
enum class Answered : std::uint8_t {
  done,
  other_lineage,     ///< attach again, then ask again
  outside_calendar,  ///< `now` is not within the civil windows that were sent: ask again with that time
};

struct ScriptAnswer {
  Answered answered = Answered::done;
  Grant grant{};   ///< when done; all but its generation, which the caller knows
  WallTime now{};  ///< the time that the script went by
};
/// Of any script but attach. The error: it is not what such a script answers.
[[nodiscard]] Result<ScriptAnswer> decode_answer(const Reply& reply);

}  // namespace sluice::store::redis
