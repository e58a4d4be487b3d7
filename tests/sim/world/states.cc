#include "sim/world/states.h"

#include <array>
#include <cstddef>

namespace sluice::sim {

const char* name_of(State state) {
  static constexpr std::array<const char*, kStates> kNames = {"failed over",
                                                              "debits lost",
                                                              "split-brain debit",
                                                              "data emptied",
                                                              "debits excused",
                                                              "lease awaits repair",
                                                              "repair overdue",
                                                              "rebooked",
                                                              "reply lost",
                                                              "stale give-back",
                                                              "asked again",
                                                              "join not replicated",
                                                              "ledger full",
                                                              "lease lapsed with its window",
                                                              "lease given back",
                                                              "leased ahead",
                                                              "denied from memory",
                                                              "key forgotten",
                                                              "key refused",
                                                              "limit shared out",
                                                              "connect failed",
                                                              "command timed out",
                                                              "grant came too late",
                                                              "degraded answer",
                                                              "refunded",
                                                              "answer lost",
                                                              "denied for ever",
                                                              "layered denial",
                                                              "drained in time"};
  return kNames[static_cast<std::size_t>(state)];
}

}  // namespace sluice::sim
