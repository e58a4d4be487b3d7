// Rare states by name: a run reports which of them it reached, so that one sees what was tried at all.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sluice::sim {

enum class State : std::uint8_t {
  // Of the servers and the world's books.
  failed_over,
  debits_lost,        ///< by a failover, a restart or a flush
  split_brain_debit,  ///< made on a master after it was replaced
  emptied,
  debits_excused,       ///< lost, and their daemon died or came too late
  lease_awaits_repair,  ///< refused since others had not rebooked
  repair_overdue,       ///< tokens granted though not all had rebooked in time
  rebooked,
  // Of the daemons, by their own counters.
  reply_lost,
  return_stale,  ///< a give-back of a history that is gone
  asked_again,   ///< a script that the server did not know
  join_unreplicated,
  ledger_full,
  lease_lapsed,  ///< tokens ended with their window
  lease_returned,
  leased_ahead,
  denied_from_memory,
  key_forgotten,
  key_refused,  ///< at the bound of keys
  shared_out,   ///< a limit enforced by parts while its store was away
  connect_failed,
  command_timeout,
  late_grant,  ///< after its check was answered
  // Of what applications saw.
  degraded_answer,
  refunded,
  answer_lost,  ///< with a connection
  denied_never,
  layered_denial,  ///< of a check of two limits
  drained_in_time,
  kinds,
};
inline constexpr std::size_t kStates = static_cast<std::size_t>(State::kinds);
[[nodiscard]] const char* name_of(State state);

class States {
 public:
  void reached(State state, std::uint64_t times = 1) { counts_[static_cast<std::size_t>(state)] += times; }
  [[nodiscard]] std::uint64_t count(State state) const { return counts_[static_cast<std::size_t>(state)]; }

 private:
  std::array<std::uint64_t, kStates> counts_{};
};

}  // namespace sluice::sim
