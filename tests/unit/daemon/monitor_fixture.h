// A monitor of a daemon on virtual time, whose store's report is written by hand.
#pragma once

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/load.h"
#include "daemon/instance.h"
#include "daemon/monitor.h"
#include "daemon/store_report.h"
#include "daemon/stores.h"
#include "engine/engine.h"
#include "observe/log.h"
#include "server/admin/admin_source.h"
#include "store/memory/memory_store.h"
#include "support/slow_store.h"
#include "support/virtual_loop.h"
#include "unit/engine/fixture.h"

namespace sluice::test {

inline constexpr const char* kTwoRules = R"(
[[rule]]
name = "user"
match = { user = "*" }
limit = "10/hour"
[[rule]]
name = "path"
match = { path = ["/a", "/b*"] }
limit = "1000/second"
burst = 2000
)";

/// [observe] with these settings before them.
inline std::string with(std::string_view observe) {
  return "[observe]\n" + std::string(observe) + kTwoRules;
}

class FakeBacking final : public daemon::Backing {
 public:
  FakeBacking(Loop& loop, Random& random) : memory(loop.clock(), random, {}) {
    told.kind = "memory";
    told.shards.push_back({.name = "s", .serving = true});
  }
  store::Store& store() override {
    return slow_down ? static_cast<store::Store&>(slow) : static_cast<store::Store&>(memory);
  }
  void start() override {}
  void set_policy(std::shared_ptr<const rules::Policy> /*policy*/) override {}
  void drain(std::function<void()> done) override { done(); }
  void describe(std::string& /*out*/) const override {}
  [[nodiscard]] daemon::StoreReport report() const override { return told; }

  bool slow_down = false;  ///< before the instance is made
  store::MemoryStore memory;
  SlowStore slow{memory};
  daemon::StoreReport told;
};

class CaughtLines final : public observe::LineSink {
 public:
  explicit CaughtLines(std::string& lines) : lines_(lines) {}
  void write(std::string_view line) override { lines_.append(line).append("\n"); }

 private:
  std::string& lines_;
};

class MonitorTest : public testing::Test {
 protected:
  static config::Config load(const std::string& toml) {
    auto config = config::load_text(toml, "s.toml");
    EXPECT_TRUE(config) << config.error().front().text();
    return *std::move(config);
  }
  void use(const std::string& toml) {
    const config::Config config = load(toml);
    instance_ = std::make_unique<daemon::Instance>(loop_, log_, backing_, config);
    monitor_ = std::make_unique<daemon::Monitor>(
        daemon::MonitorSurroundings{
            .loop = loop_, .log = log_, .random = random_, .instance = *instance_, .backing = backing_},
        config, "s.toml");
  }
  void reload(const std::string& toml) {
    const config::Config config = load(toml);
    instance_->reload(config, "test");
    monitor_->reloaded(config);
  }
  void check(std::string_view text, int times = 1) {
    for (int i = 0; i < times; ++i)
      instance_->engine().run(engine::Operation::check, descriptors(text), 1, inbox_, 0);
  }
  boost::json::value stats() { return boost::json::parse(monitor_->stats()); }
  boost::json::value top(const server::TopQuery& query) {
    const auto answer = monitor_->top(query);
    EXPECT_TRUE(answer) << answer.error().message;
    return boost::json::parse(answer.value_or("null"));
  }
  std::string metrics(server::MetricsFormat format = server::MetricsFormat::text) {
    std::string out;
    monitor_->append_metrics(out, format);
    return out;
  }
  /// The value of a sample, as text; empty if there is none.
  std::string metric(const std::string& name) {
    const std::string text = "\n" + metrics();
    const auto at = text.find("\n" + name + " ");
    if (at == std::string::npos) return {};
    const auto begin = at + name.size() + 2;
    return text.substr(begin, text.find('\n', begin) - begin);
  }
  /// Of those that are kept, the oldest first.
  std::vector<std::string> event_kinds() {
    std::vector<std::string> kinds;
    for (const observe::Event& event : monitor_->events().recent()) kinds.insert(kinds.begin(), event.kind);
    return kinds;
  }

  VirtualLoop loop_;
  SeededRandom random_;
  std::string lines_;
  observe::Log log_{loop_.clock(), std::make_unique<CaughtLines>(lines_), {}};
  FakeBacking backing_{loop_, random_};
  Inbox inbox_;
  std::unique_ptr<daemon::Instance> instance_;
  std::unique_ptr<daemon::Monitor> monitor_;
};

}  // namespace sluice::test
