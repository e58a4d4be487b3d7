// A request of the store's contract while Redis has it: all that it takes to ask again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "limiter/limit.h"
#include "store/redis/ledger.h"
#include "store/redis/lineage.h"
#include "store/redis/script_codec.h"
#include "store/redis/scripts.h"
#include "store/store.h"

namespace sluice::store::redis {

/// Each way to ask again is gone once. None of them is gone unless the server said that nothing was done.
struct Request {
  Script script = Script::lease;  ///< which kind it is: one of those that count
  std::uint64_t tag = 0;          ///< the caller's
  std::string counter{};          ///< the key in Redis
  limiter::Limit limit;
  std::vector<Need> needs{};             ///< of a lease
  std::int64_t amount = 0;               ///< extra of a lease, tokens of a give-back, cost of a peek
  std::optional<WallTime> granted_at{};  ///< of a give-back
  std::vector<Lost> lost{};              ///< of a rebook, which has no caller
  Generation tokens_generation = 0;      ///< of a give-back: that of its tokens; 0: any
  Lineage lineage{};                     ///< last asked for in this history
  Generation generation = 0;             ///< which is this one
  Arguments arguments{};                 ///< as last encoded
  bool script_resent = false;
  bool lineage_resent = false;
  bool calendar_resent = false;
};

/// Sets its arguments and lineage. `generation` is that of the context's lineage.
void encode(Request& request, const CallContext& context, Generation generation);

}  // namespace sluice::store::redis
