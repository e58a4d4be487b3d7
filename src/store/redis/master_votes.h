// What several sentinels' answers say about where one master is. No I/O; time is an argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/connector.h"
#include "base/time.h"

namespace sluice::store::redis {

/// One sentinel's answer.
struct MasterAnswer {
  std::optional<Endpoint> master{};      ///< nothing: it knows no master of that name
  std::optional<std::uint64_t> epoch{};  ///< config-epoch; nothing: it does not let us ask
};

/// Sentinels are asked in rounds, all of them each time. They may hang, be gone, lag behind the others by
/// seconds, or know nothing: so
/// - the first address is taken when more than half have answered or nobody is left to wait for; the answer
/// of
///   the highest epoch wins, then what most say;
/// - later an answer of a higher epoch is taken at once, one of a lower epoch never;
/// - of an equal or untold epoch, what more than half of all sentinels say is taken, but it does not lead
/// back
///   to what a switch has just led away from;
/// - a switch is taken at once if it leads away from the address that is known. One that arrives late, after
///   another one, does not.
///
/// Sentinels that are set up anew begin with epoch 0: they are not believed until this is begun anew, too.
class MasterVotes {
 public:
  explicit MasterVotes(std::size_t sentinels) : votes_(sentinels) {}

  /// Whether the known address may still be used while the round lasts.
  enum class Known : std::uint8_t {
    trusted,
    in_doubt,  ///< its connection was lost, or it is no master: where() has nothing until the round decides
  };
  /// Begins a round: on_answer or on_silence follows for each sentinel, or the next round.
  void begin(Known known);

  /// True: the address has changed.
  [[nodiscard]] bool on_answer(std::size_t sentinel, const MasterAnswer& answer, Instant now);
  /// It cannot be asked, or did not answer in time.
  [[nodiscard]] bool on_silence(std::size_t sentinel, Instant now);
  [[nodiscard]] bool on_switch(const Endpoint& from, const Endpoint& to, Instant now);

  [[nodiscard]] std::optional<Endpoint> where() const { return in_doubt_ ? std::nullopt : master_; }

  /// What the round has come to. The last two only when all sentinels have answered or are silent.
  enum class Round : std::uint8_t { open, decided, unknown_name, unreachable };
  [[nodiscard]] Round round() const;

 private:
  enum class Vote : std::uint8_t { awaited, silent, unknown_name, address };
  struct Voter {
    Vote vote = Vote::awaited;
    Endpoint master{};
    std::optional<std::uint64_t> epoch{};
  };

  [[nodiscard]] bool settle(Instant now);
  [[nodiscard]] const Voter* winner() const;
  [[nodiscard]] bool may_replace(const Voter& voter, Instant now) const;
  [[nodiscard]] std::size_t count(Vote vote) const;
  /// Those that say the same address, and no older epoch than is known.
  [[nodiscard]] std::size_t supporters(const Endpoint& master) const;
  [[nodiscard]] bool decided() const;

  std::vector<Voter> votes_;
  std::optional<Endpoint> master_;
  std::optional<std::uint64_t> epoch_;
  bool in_doubt_ = false;
  std::optional<Endpoint> left_;  ///< by a switch
  Instant left_until_{};          ///< no vote leads back to it before
};

}  // namespace sluice::store::redis
