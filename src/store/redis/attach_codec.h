// The scripts that take part in a shard rather than count in it, attach and announce: their arguments, and
// their answers back. No I/O.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "store/redis/lineage.h"
#include "store/redis/reply.h"
#include "store/redis/script_codec.h"

namespace sluice::store::redis {

struct AttachRequest {
  std::string_view self{};  ///< our id among the members: hexadecimal
  WallTime client_time{};   ///< counts if scripts of this server cannot read a clock
  /// Names the data if it has no name yet: random, so that emptied data is told from what it was before.
  std::string_view nonce{};
  bool nothing_to_lose = false;            ///< we have made no debits that a new history could lack
  Duration repair_timeout{};               ///< how long a history that begins with this waits for its members
  std::span<const std::string> members{};  ///< that we knew last
};
[[nodiscard]] Arguments encode_attach(const AttachRequest& request);

enum class Announcement : std::uint8_t { alive, leaving };
/// That we are alive, and have rebooked what the lineage lacked; or that we leave.
[[nodiscard]] Arguments encode_announce(const Lineage& lineage, std::string_view self, WallTime client_time,
                                        Announcement announcement);

struct Attached {
  Lineage lineage{};
  std::int64_t seq = 0;
  std::optional<WallTime> server_time{};  ///< nothing: scripts of this server cannot read a clock
  Duration age{};                         ///< of the history, when it answered
  std::vector<LineageLine> lines{};       ///< oldest first; the last one is that of `lineage`
  bool acknowledged = false;              ///< there is no need to announce that nothing is lacking
  bool is_new = false;                    ///< the data did not know us
  std::int64_t replicas = 0;
  std::vector<std::string> members{};  ///< ids seen alive, with ours, in order
};
[[nodiscard]] Result<Attached> decode_attach(const Reply& reply);

struct Announced {
  bool other_lineage = false;  ///< nothing was changed: attach again
  std::optional<WallTime> server_time{};
  std::vector<std::string> members{};
};
[[nodiscard]] Result<Announced> decode_announce(const Reply& reply);

}  // namespace sluice::store::redis
