// The verbs of sluicectl. Each returns the exit status: 0 allowed (or fine), 1 denied, 2 error.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/time.h"

namespace sluice::ctl {

inline constexpr int kExitAllowed = 0;
inline constexpr int kExitDenied = 1;
inline constexpr int kExitError = 2;

struct Options {
  std::string socket;  ///< empty: the one that the configuration names
  std::string admin;   ///< "host:port"; empty: the one that the configuration names
  std::string config = "/etc/sluice/sluice.toml";
  Duration timeout = std::chrono::seconds{1};
  bool json = false;
  bool once = false;   ///< of top: one picture, then leave
  bool ready = false;  ///< of health: ready, and not only alive
  std::vector<std::string> descriptors;
  std::string cost;  ///< empty: not given
};

/// `verb` is CHECK, PEEK or REFUND.
int ask(const std::string& verb, const Options& options);
int reset(const Options& options);
int ping(const Options& options);
/// For exec probes: 0 well, 1 not, 2 no answer. Asks the admin listener, or PINGs the socket where there is
/// none.
int health(const Options& options);
/// The daemon's numbers, once a second until `q`.
int top(const Options& options);
int config_check(const Options& options);
int config_explain(const Options& options);
int config_reference();

}  // namespace sluice::ctl
