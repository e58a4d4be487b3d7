#include "sim/world/daemon_node.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/connector.h"
#include "base/stream.h"
#include "base/time.h"
#include "config/load.h"
#include "daemon/instance.h"
#include "daemon/redis_access.h"
#include "daemon/redis_backing.h"
#include "observe/log.h"
#include "sim/core/draw.h"
#include "sim/core/node_clock.h"
#include "sim/core/node_loop.h"
#include "sim/core/trace.h"
#include "sim/network/network.h"
#include "sim/world/app.h"
#include "sim/world/books.h"
#include "sim/world/plan.h"
#include "sim/world/states.h"

namespace sluice::sim {
namespace {

using namespace std::chrono_literals;

/// What SIGTERM may take, with what the clocks and timers round.
constexpr Duration kDrainBound = 1010ms;

class SimAccess final : public daemon::RedisAccess {
 public:
  SimAccess(std::unique_ptr<Connector> connector, std::string name, std::string password)
      : connector_(std::move(connector)), name_(std::move(name)), password_(std::move(password)) {}

  Connector& data() override { return *connector_; }
  Connector& sentinels() override { return *connector_; }
  [[nodiscard]] std::function<std::string()> data_password() const override {
    if (password_.empty()) return {};
    return [this] { return password_; };
  }
  [[nodiscard]] std::function<std::string()> sentinel_password() const override { return {}; }
  [[nodiscard]] std::string client_name() const override { return name_; }

 private:
  std::unique_ptr<Connector> connector_;
  std::string name_;
  std::string password_;
};

/// The daemon's log, for people who watch one run.
class TraceSink final : public observe::LineSink {
 public:
  TraceSink(const Surroundings& world, std::string who) : world_(world), who_(std::move(who)) {}
  void write(std::string_view line) override {
    if (world_.trace.printing()) world_.trace.say(world_.timeline.now(), who_, line);
  }

 private:
  Surroundings world_;
  std::string who_;
};

config::Config load(const Plan& plan, std::size_t version) {
  auto config = config::load_text(config_text(plan, version), "sluice.toml");
  if (!config) {
    for (const config::Problem& problem : config.error()) {
      static_cast<void>(
          std::fprintf(stderr, "%s\n%s\n", config_text(plan, version).c_str(), problem.text().c_str()));
    }
  }
  SLUICE_ASSERT(config.has_value());
  return *std::move(config);
}

/// A line of INFO; 0 if there is none.
std::uint64_t figure_in(std::string_view info, std::string_view name) {
  const std::string start = "\r\n" + std::string(name) + ":";
  const std::size_t at = info.find(start);
  std::uint64_t value = 0;
  if (at != std::string_view::npos)
    std::from_chars(info.data() + at + start.size(), info.data() + info.size(), value);
  return value;
}

}  // namespace

/// In the order of construction: what is below uses what is above, and dies first.
struct DaemonNode::Process {
  Process(const Surroundings& world, HostId host, const NodeClock& clock, Draw draw, std::size_t version,
          const std::string& member)
      : loop(world.timeline, clock),
        random(draw),
        log(loop.clock(), std::make_unique<TraceSink>(world, member), {}) {
    config::Config config = load(world.plan, version);
    auto access = std::make_unique<SimAccess>(world.network.connector(host, loop), member,
                                              world.plan.passwords ? kPassword : "");
    auto made = daemon::make_redis_backing(loop, random, log, config.settings.store, std::move(access),
                                           config.policy);
    SLUICE_ASSERT(made.has_value());
    backing = *std::move(made);
    instance = std::make_unique<daemon::Instance>(loop, log, *backing, std::move(config));
    listener = world.network.listen(host, kDaemonPort, loop, instance->server());
  }

  NodeLoop loop;
  Draw random;
  observe::Log log;
  std::unique_ptr<daemon::Backing> backing;
  std::unique_ptr<daemon::Instance> instance;
  std::unique_ptr<Listener> listener;
};

DaemonNode::DaemonNode(const Surroundings& world, std::size_t index, Draw draw)
    : world_(world),
      index_(index),
      draw_(draw),
      host_(world.network.add_host(daemon_name(index))),
      clock_(world.timeline, {.drift_ppm = draw_.between(-world.plan.drift_ppm, world.plan.drift_ppm),
                              .wall_offset = world.plan.began - kEpoch +
                                             draw_.between(-world.plan.daemon_skew, world.plan.daemon_skew),
                              .uptime = draw_.between(Duration(1s), Duration(1000h))}) {}

DaemonNode::~DaemonNode() = default;

std::string DaemonNode::member() const {
  return fmt::format("{}.{}", daemon_name(index_), incarnation_);
}

void DaemonNode::start() {
  if (process_) return;
  ++incarnation_;
  process_ = std::make_unique<Process>(world_, host_, clock_, draw_.fork(incarnation_), version_, member());
  process_->loop.post(world_.timeline.now(), [this] { process_->instance->start(); });
}

void DaemonNode::ended() {
  report_states();
  world_.books.died(member());
  process_.reset();
}

void DaemonNode::crash() {
  if (process_) ended();
}

void DaemonNode::terminate() {
  if (!process_ || process_->instance->draining() || process_->loop.suspended()) return;
  process_->loop.post(world_.timeline.now(), [this] {
    process_->listener.reset();
    process_->instance->drain("SIGTERM", [this, began = world_.timeline.now(), incarnation = incarnation_] {
      if (world_.timeline.now() - began > kDrainBound) {
        violations_.push_back(
            fmt::format("{}: took {} to end", member(), format_duration(world_.timeline.now() - began)));
      }
      world_.states.reached(State::drained_in_time);
      // The process ends after this turn of its loop, as main() does.
      world_.timeline.after(Duration::zero(), [this, incarnation] {
        if (process_ && incarnation == incarnation_) ended();
      });
    });
  });
}

void DaemonNode::pause(Duration length, bool io_first) {
  if (process_ && !process_->instance->draining())
    process_->loop.suspend(world_.timeline.now() + length, io_first);
}

void DaemonNode::reload() {
  version_ = (version_ + 1) % kVersions;
  if (!process_) return;
  process_->loop.post(world_.timeline.now(),
                      [this] { process_->instance->reload(load(world_.plan, version_), "file"); });
}

bool DaemonNode::serving() const {
  return process_ && !process_->loop.suspended() && figure("store_serving") == 1;
}

std::string DaemonNode::info() const {
  std::string info;
  if (process_) process_->backing->describe(info);
  return info;
}

std::uint64_t DaemonNode::figure(std::string_view name) const {
  return figure_in(info(), name);
}

void DaemonNode::report_states() {
  struct Row {
    std::string_view figure;
    State state;
  };
  static constexpr std::array<Row, 14> kRows = {{{"store_replies_lost", State::reply_lost},
                                                 {"store_returns_stale", State::return_stale},
                                                 {"store_requests_repeated", State::asked_again},
                                                 {"store_joins_unreplicated", State::join_unreplicated},
                                                 {"store_ledger_keys_dropped", State::ledger_full},
                                                 {"store_timeouts", State::command_timeout},
                                                 {"store_connects_failed", State::connect_failed},
                                                 {"lease_tokens_lapsed", State::lease_lapsed},
                                                 {"lease_tokens_returned", State::lease_returned},
                                                 {"lease_tokens_ahead", State::leased_ahead},
                                                 {"lease_denials", State::denied_from_memory},
                                                 {"lease_keys_forgotten", State::key_forgotten},
                                                 {"lease_keys_refused", State::key_refused},
                                                 {"lease_keys_shared_out", State::shared_out}}};
  if (!process_) return;
  const std::string all = info();
  for (const Row& row : kRows) world_.states.reached(row.state, figure_in(all, row.figure));
  world_.states.reached(State::late_grant, process_->instance->engine().counters().late);
}

}  // namespace sluice::sim
