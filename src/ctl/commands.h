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
  std::string config = "/etc/sluice/sluice.toml";
  Duration timeout = std::chrono::seconds{1};
  bool json = false;
  std::vector<std::string> descriptors;
  std::string cost;  ///< empty: not given
};

/// `verb` is CHECK, PEEK or REFUND.
int ask(const std::string& verb, const Options& options);
int reset(const Options& options);
int ping(const Options& options);
int config_check(const Options& options);
int config_explain(const Options& options);
int config_reference();

}  // namespace sluice::ctl
