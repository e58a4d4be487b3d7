// The daemon: everything wired together, from start to drain.
#pragma once

#include <string>

namespace sluice::daemon {

struct DaemonOptions {
  std::string config_path;
};

/// What a process tells its parent.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;  ///< could not listen
inline constexpr int kExitBadConfig = 2;

/// Runs until SIGTERM or SIGINT; returns the exit status. Faults at the start are told on standard error.
int run_daemon(const DaemonOptions& options);

}  // namespace sluice::daemon
