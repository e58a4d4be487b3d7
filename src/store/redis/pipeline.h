// Commands sent and not answered, in order. No I/O; time is an argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/time.h"

namespace sluice::store::redis {

/// Servers answer in order, so the first command is the one that the next reply belongs to, and all deadlines
/// being equally far away, the first one to expire. What expired keeps its place until its reply comes, which
/// is then nobody's.
class Pipeline {
 public:
  /// `deadline` is not before that of the one before.
  void sent(std::uint64_t tag, Instant deadline) { waiting_.push_back({.tag = tag, .deadline = deadline}); }

  struct Answered {
    std::optional<std::uint64_t> tag;  ///< nothing: it had expired
    Instant deadline{};
  };
  /// A reply came. Nothing: no command waits for one.
  [[nodiscard]] std::optional<Answered> answered();

  /// The tags of those that now expire, in order.
  [[nodiscard]] std::vector<std::uint64_t> expire(Instant now);
  /// When that will be for the next one.
  [[nodiscard]] std::optional<Instant> next_deadline() const;

  /// Empties it; the tags of those that had not expired, in order.
  [[nodiscard]] std::vector<std::uint64_t> abandon();

  /// With those that expired.
  [[nodiscard]] std::size_t size() const { return waiting_.size(); }

 private:
  struct Sent {
    std::uint64_t tag = 0;
    Instant deadline{};
  };
  std::deque<Sent> waiting_;
  std::size_t expired_ = 0;  ///< so many at the front
};

}  // namespace sluice::store::redis
