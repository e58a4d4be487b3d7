// One run of one seed: chaos, healing, convergence, and the verdict.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/time.h"
#include "sim/core/draw.h"
#include "sim/core/timeline.h"
#include "sim/core/trace.h"
#include "sim/network/network.h"
#include "sim/world/app.h"
#include "sim/world/books.h"
#include "sim/world/chaos.h"
#include "sim/world/daemon_node.h"
#include "sim/world/plan.h"
#include "sim/world/servers.h"
#include "sim/world/states.h"

namespace sluice::sim {

struct Outcome {
  std::uint64_t seed = 0;
  std::uint64_t hash = 0;                 ///< of all that happened
  std::vector<std::string> violations{};  ///< empty: every promise was kept
  Duration simulated{};
  std::uint64_t events = 0;
  std::uint64_t answers = 0;
  std::int64_t admitted = 0;  ///< tokens
  std::array<std::uint64_t, kFaults> faults{};
  States states{};
  NetworkCounters network{};
};

class World {
 public:
  /// `out`: everything that happens is printed there; null: nothing is.
  World(const Plan& plan, std::FILE* out);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  [[nodiscard]] Outcome run();

 private:
  struct Totals {
    std::int64_t granted = 0;  ///< as daemons count it
    std::int64_t debited = 0;  ///< as servers did
    std::int64_t returned = 0;
    std::int64_t lapsed = 0;
    std::int64_t admitted = 0;
    std::int64_t lost = 0;  ///< of answers that did not arrive
    std::uint64_t degraded = 0;
  };

  void run_for(Duration length);
  void set_load(App::Load load);
  [[nodiscard]] bool all_serve() const;
  void recover();
  void converge();
  [[nodiscard]] Totals totals() const;
  void check_conservation(const Totals& before, const Totals& after);
  void check_limits();
  void check_limit(std::size_t rule, std::int64_t value);
  void check_use(SimTime from, SimTime to);
  [[nodiscard]] Tolerance tolerance() const;
  void wrong(std::string what);

  Plan plan_;
  Trace trace_;
  Timeline timeline_;
  Draw draw_;
  States states_;
  Books books_;
  Network network_;
  Surroundings surroundings_;
  Servers servers_;
  std::vector<std::unique_ptr<DaemonNode>> daemons_;
  std::vector<std::unique_ptr<App>> apps_;
  Chaos chaos_;
  std::vector<std::string> violations_;
};

}  // namespace sluice::sim
