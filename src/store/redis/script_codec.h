// Requests of the store's contract as arguments of the scripts, and the scripts' answers back. No I/O.
//
// Every number crosses as a decimal integer of at most 2^53 − 1 in size, in either direction: Lua's numbers
// are doubles, and Redis cuts the fraction off what a script returns.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "limiter/limit.h"
#include "store/redis/ledger.h"
#include "store/redis/lineage.h"
#include "store/redis/reply.h"
#include "store/store.h"

namespace sluice::store::redis {

/// What is the same for many calls.
struct CallContext {
  Lineage lineage{};
  /// Nothing: the server's own clock counts. Else the server has none that scripts may read, and this is it.
  std::optional<WallTime> client_time{};
  /// About what the clock that counts shows, to choose the civil days or months that go with a calendar
  /// limit.
  WallTime expected_now{};
};

/// ARGV of each script; KEYS are always the counter and the shard's meta key. Those of attach and announce
/// are in attach_codec.h.
using Arguments = std::vector<std::string>;

[[nodiscard]] Arguments encode_lease(const CallContext& context, const LeaseRequest& request);
[[nodiscard]] Arguments encode_give_back(const CallContext& context, const GiveBack& request);
[[nodiscard]] Arguments encode_peek(const CallContext& context, const limiter::Limit& limit,
                                    std::int64_t cost);
[[nodiscard]] Arguments encode_reset(const CallContext& context, const limiter::Limit& limit);
[[nodiscard]] Arguments encode_rebook(const CallContext& context, const limiter::Limit& limit,
                                      std::span<const Lost> lost);

/// Nothing was changed unless it is `done`.
enum class Answered : std::uint8_t {
  done,
  other_lineage,     ///< attach again, then ask again
  outside_calendar,  ///< `now` is not within the civil windows that were sent: ask again with that time
  repairing,         ///< of a lease: not all members have rebooked yet what this history may have lost
};

struct ScriptAnswer {
  Answered answered = Answered::done;
  Grant grant{};   ///< when done; all but its generation, which the caller knows
  WallTime now{};  ///< the time that the script went by
};
/// Of any script but attach and announce. The error: it is not what such a script answers.
[[nodiscard]] Result<ScriptAnswer> decode_answer(const Reply& reply);

/// What decoding fails with: the reply is not what that script answers.
[[nodiscard]] std::unexpected<Error> unexpected_answer(std::string_view script, const Reply& reply);

}  // namespace sluice::store::redis
