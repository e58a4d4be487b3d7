// The store that the settings ask for, ready for the engine.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/random.h"
#include "base/result.h"
#include "config/settings.h"
#include "daemon/store_report.h"
#include "net/uv_loop.h"
#include "observe/log.h"
#include "rules/policy.h"
#include "store/store.h"

namespace sluice::daemon {

class Backing {
 public:
  virtual ~Backing() = default;
  [[nodiscard]] virtual store::Store& store() = 0;
  /// Connects, if there is anything to connect to; the daemon serves meanwhile.
  virtual void start() = 0;
  virtual void set_policy(std::shared_ptr<const rules::Policy> policy) = 0;
  /// Gives back what was leased; `done` is called once, from the loop. Not bounded in time here.
  virtual void drain(std::function<void()> done) = 0;
  /// Appends its section of INFO.
  virtual void describe(std::string& out) const = 0;
  [[nodiscard]] virtual StoreReport report() const = 0;
};

/// The references must outlive it. The error says which setting is wrong, and in what.
[[nodiscard]] Result<std::unique_ptr<Backing>> make_backing(net::UvLoop& loop, Random& random,
                                                            observe::Log& log,
                                                            const config::Settings::Store& settings,
                                                            std::shared_ptr<const rules::Policy> policy);

}  // namespace sluice::daemon
