// Aim: whatever failovers lose, and whoever notices them when, no more is admitted than the limit, since the
// daemons rebook what a new history lacks. Unless a daemon keeps the others waiting for longer than they
// wait.
//
// Method: random schedules of daemons, each with the product's ledger, on the product's scripts: leases,
// give- backs, lost replies; replicas that lag; failovers to any of them while the master before goes on;
// masters that come back empty. Nothing refills within a run. The same schedules without rebooking go over:
// that shows that there was something to repair.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "limiter/limit.h"
#include "property/limiter/walk.h"
#include "property/store/replicated_servers.h"
#include "store/redis/attach_codec.h"
#include "store/redis/ledger.h"
#include "store/redis/script_codec.h"
#include "store/redis/scripts.h"
#include "store/store.h"
#include "support/virtual_loop.h"
#include "unit/limiter/limits.h"

namespace sluice::store::redis::testing {
namespace {

using limiter::Algorithm;
using limiter::testing::Dice;
using namespace std::chrono_literals;

constexpr std::size_t kDaemons = 4;
constexpr std::int64_t kLimit = 60;
constexpr int kSteps = 4'000;  // of a millisecond
constexpr Duration kRepairTimeout = 400ms;

enum class Repair : std::uint8_t { none, rebook };
enum class Faults : std::uint8_t { failovers, emptied_masters_too };

struct Daemon {
  explicit Daemon(Random& random, std::string name)
      : id(std::move(name)), ledger(random, 10, kRepairTimeout) {}

  std::string id;
  Ledger ledger;
  std::int64_t held = 0;
  Instant history_began{};
  std::size_t server = 0;  ///< where it believes the master to be
  std::vector<std::string> members{};

  // Of its connection: gone with it.
  enum class Phase : std::uint8_t { unattached, rebooking, acknowledging, serving };
  Phase phase = Phase::unattached;
  Lineage lineage{};
  std::vector<LineageLine> lines{};
  std::optional<Grant> answer{};  ///< on its way

  void reconnect() {
    phase = Phase::unattached;
    answer.reset();
  }
};

class Schedule {
 public:
  Schedule(ReplicatedServers& servers, std::uint64_t seed, const limiter::Limit& limit, Repair repair,
           Faults faults)
      : servers_(servers), dice_(seed), limit_(limit), repair_(repair), faults_(faults) {
    servers_.begin();
    for (std::size_t i = 0; i < kDaemons; ++i) {
      daemons_.push_back(std::make_unique<Daemon>(random_, std::string(1, static_cast<char>('a' + i))));
    }
    // Each one's joining is waited for before its first lease.
    for (const auto& daemon : daemons_) attach(*daemon);
    for (const auto& daemon : daemons_) attach(*daemon);  // to know the others
    for (std::size_t i = 1; i < ReplicatedServers::kServers; ++i) servers_.resynchronize(i);
  }

  /// How many tokens were used, or are held still.
  std::int64_t run() {
    for (step_ = 1; step_ <= kSteps; ++step_) step();
    for (const auto& daemon : daemons_) used_ += daemon->held;
    return used_;
  }

  [[nodiscard]] bool overdue() {
    for (std::size_t i = 0; i < ReplicatedServers::kServers; ++i)
      overdue_ |= servers_.number_in_meta(i, "overdue") > 0;
    return overdue_;
  }
  [[nodiscard]] int failovers() const { return failovers_; }
  [[nodiscard]] std::int64_t rebooked() const { return rebooked_; }

 private:
  void step() {
    const std::int64_t choice = dice_.between(1, 1'000);
    if (choice <= 150) return replicate();
    if (choice <= 160) return fail_over();
    if (choice <= 162 && faults_ == Faults::emptied_masters_too) return empty_master();
    Daemon& daemon = *daemons_[static_cast<std::size_t>(dice_.between(0, kDaemons - 1))];
    if (choice <= 300) return notice(daemon);
    if (choice <= 450) return receive(daemon);
    act(daemon);
  }

  // The servers.

  void replicate() {
    for (std::size_t i = 0; i < ReplicatedServers::kServers; ++i) {
      if (i == servers_.master()) continue;
      if (servers_.replicates(i)) {
        if (dice_.one_in(2)) servers_.replicate(i, static_cast<std::size_t>(dice_.between(0, 3)));
      } else if (dice_.one_in(20)) {
        note_overdue(i);
        servers_.resynchronize(i);
        cut_off(i);
      }
    }
  }
  void fail_over() {
    std::vector<std::size_t> replicas;
    for (std::size_t i = 0; i < ReplicatedServers::kServers; ++i) {
      if (servers_.replicates(i)) replicas.push_back(i);
    }
    if (replicas.empty()) return;
    note_overdue(servers_.master());
    servers_.promote(
        replicas[static_cast<std::size_t>(dice_.between(0, static_cast<std::int64_t>(replicas.size()) - 1))]);
    ++failovers_;
  }
  void empty_master() {
    note_overdue(servers_.master());
    servers_.empty_master();
    cut_off(servers_.master());
    ++failovers_;
  }
  void cut_off(std::size_t server) {
    for (const auto& daemon : daemons_) {
      if (daemon->server == server) daemon->reconnect();
    }
  }
  void note_overdue(std::size_t i) { overdue_ |= servers_.number_in_meta(i, "overdue") > 0; }

  // The daemons.

  void notice(Daemon& daemon) {
    if (daemon.server == servers_.master()) return;
    daemon.server = servers_.master();
    daemon.reconnect();
  }

  void receive(Daemon& daemon) {
    if (!daemon.answer) return;
    const Grant grant = *std::exchange(daemon.answer, std::nullopt);
    if (dice_.one_in(20)) return;  // lost: nobody uses it
    const std::int64_t tokens = grant.granted_needs + grant.granted_extra;
    if (tokens == 0) return;
    daemon.held += tokens;
    daemon.ledger.book("k", limit_, daemon.lineage, grant, tokens, now());
  }

  void act(Daemon& daemon) {
    if (daemon.held > 0 && dice_.between(1, 10) <= 6) {
      --daemon.held;
      ++used_;
      return;
    }
    if (daemon.answer) return;
    switch (daemon.phase) {
      case Daemon::Phase::unattached:
        return attach(daemon);
      case Daemon::Phase::rebooking:
        return rebook(daemon);
      case Daemon::Phase::acknowledging:
        return acknowledge(daemon);
      case Daemon::Phase::serving:
        return daemon.held > 0 && dice_.one_in(5) ? give_back(daemon) : lease(daemon);
    }
  }

  /// Nothing: the answer is lost, and with it the connection.
  std::optional<Reply> call(Daemon& daemon, Script script, const Arguments& arguments) {
    auto reply = servers_.call(daemon.server, script, arguments);
    if (reply && !dice_.one_in(20)) return reply;
    daemon.reconnect();
    return std::nullopt;
  }

  void attach(Daemon& daemon) {
    const bool nothing_to_lose = repair_ == Repair::none || daemon.ledger.empty();
    const auto reply = call(daemon, Script::attach,
                            encode_attach({.self = daemon.id,
                                           .client_time = wall(),
                                           .nonce = std::to_string(step_) + daemon.id,
                                           .nothing_to_lose = nothing_to_lose,
                                           .repair_timeout = kRepairTimeout,
                                           .members = daemon.members}));
    if (!reply) return;
    const auto attached = decode_attach(*reply);
    ASSERT_TRUE(attached) << attached.error().message << reply->text;
    daemon.lineage = attached->lineage;
    daemon.lines = attached->lines;
    daemon.members = attached->members;
    daemon.history_began = now() - std::min(attached->age, kRepairTimeout);
    daemon.phase = attached->acknowledged ? Daemon::Phase::serving : Daemon::Phase::acknowledging;
    if (repair_ == Repair::none) return;
    if (!daemon.ledger.unproven(daemon.lines, daemon.history_began, now()).empty())
      daemon.phase = Daemon::Phase::rebooking;
  }

  void rebook(Daemon& daemon) {
    const std::vector<Lost> lost = daemon.ledger.lost("k", daemon.lines, daemon.history_began, now());
    const auto answer = count(daemon, Script::rebook, encode_rebook(context(daemon), limit_, lost));
    if (!answer) return;
    ASSERT_EQ(answer->answered, Answered::done);
    daemon.ledger.rebooked("k", daemon.lines, answer->grant, now());
    rebooked_ += answer->grant.granted_needs;
    daemon.phase = Daemon::Phase::acknowledging;
  }

  void acknowledge(Daemon& daemon) {
    const auto reply = call(daemon, Script::announce,
                            encode_announce(daemon.lineage, daemon.id, wall(), Announcement::alive));
    if (!reply) return;
    const auto announced = decode_announce(*reply);
    ASSERT_TRUE(announced) << announced.error().message;
    if (announced->other_lineage) return daemon.reconnect();
    daemon.members = announced->members;
    daemon.phase = Daemon::Phase::serving;
  }

  void lease(Daemon& daemon) {
    // By need or as extra: what is asked for is given as far as there is.
    const Need need{.cost = 1, .count = static_cast<std::uint32_t>(dice_.between(1, 6))};
    const LeaseRequest request{
        .key = "k", .limit = &limit_, .needs = {&need, 1}, .extra = dice_.between(0, 8)};
    auto reply = servers_.call(daemon.server, Script::lease, encode_lease(context(daemon), request));
    if (!reply) return daemon.reconnect();
    const auto answer = decode_answer(*reply);
    ASSERT_TRUE(answer) << answer.error().message;
    if (answer->answered == Answered::other_lineage) return daemon.reconnect();
    if (answer->answered == Answered::done) daemon.answer = answer->grant;
  }

  void give_back(Daemon& daemon) {
    const std::int64_t tokens = std::exchange(daemon.held, 0);  // whether it is taken or not
    const GiveBack request{.key = "k", .limit = &limit_, .tokens = tokens, .granted_at = {}};
    const auto answer = count(daemon, Script::give_back, encode_give_back(context(daemon), request));
    if (answer) daemon.ledger.give_back("k", tokens, std::nullopt, now());
  }

  std::optional<ScriptAnswer> count(Daemon& daemon, Script script, const Arguments& arguments) {
    const auto reply = call(daemon, script, arguments);
    if (!reply) return std::nullopt;
    const auto answer = decode_answer(*reply);
    if (!answer) throw std::runtime_error(answer.error().message);
    if (answer->answered != Answered::other_lineage) return *answer;
    daemon.reconnect();
    return std::nullopt;
  }

  [[nodiscard]] Instant now() const { return Instant{1h + step_ * 1ms}; }
  [[nodiscard]] WallTime wall() const { return limiter::testing::kDay + 12h + step_ * 1ms; }
  [[nodiscard]] CallContext context(const Daemon& daemon) const {
    return {.lineage = daemon.lineage, .client_time = wall(), .expected_now = wall()};
  }

  ReplicatedServers& servers_;
  Dice dice_;
  test::SeededRandom random_;
  const limiter::Limit& limit_;
  Repair repair_;
  Faults faults_;
  std::vector<std::unique_ptr<Daemon>> daemons_;
  int step_ = 0;
  std::int64_t used_ = 0;
  std::int64_t rebooked_ = 0;
  int failovers_ = 0;
  bool overdue_ = false;
};

struct Tally {
  int runs = 0;
  int over = 0;
  int overdue = 0;  ///< runs in which somebody was not waited for any longer
  std::int64_t worst = 0;
  std::int64_t used = 0;
  std::int64_t rebooked = 0;
  int failovers = 0;
};

class RebookModel : public ::testing::TestWithParam<Algorithm> {
 protected:
  Tally run(Faults faults, int runs, Repair repair) {
    constexpr std::uint64_t kFirstSeed = 50'000;
    const limiter::Limit limit = limiter::testing::make(GetParam(), kLimit, 24h);
    Tally tally{.runs = runs};
    for (int i = 0; i < runs; ++i) {
      const std::uint64_t seed = kFirstSeed + static_cast<std::uint64_t>(i);
      Schedule schedule(servers_, seed, limit, repair, faults);
      const std::int64_t over = schedule.run() - kLimit;
      const bool overdue = schedule.overdue();
      if (over > 0) ++tally.over;
      if (overdue) ++tally.overdue;
      tally.worst = std::max(tally.worst, over);
      tally.used += std::min(kLimit, kLimit + over);
      tally.rebooked += schedule.rebooked();
      tally.failovers += schedule.failovers();
      if (repair == Repair::rebook && !overdue) {
        EXPECT_LE(over, 0) << "seed " << seed;
      }
    }
    std::printf(
        "%-22s %-10s over in %d of %d runs, worst %+lld; overdue in %d; %.1f failovers, %.1f tokens "
        "rebooked, "
        "%.1f of %lld used\n",
        std::string(name_of(GetParam())).c_str(), repair == Repair::rebook ? "rebooking" : "without",
        tally.over, tally.runs, static_cast<long long>(tally.worst), tally.overdue,
        1.0 * tally.failovers / runs, 1.0 * static_cast<double>(tally.rebooked) / runs,
        1.0 * static_cast<double>(tally.used) / runs, static_cast<long long>(kLimit));
    return tally;
  }

  void check(Faults faults, int runs, int over_without) {
    const Tally without = run(faults, runs, Repair::none);
    EXPECT_GE(without.over, over_without) << "there was nothing to repair";
    const Tally with = run(faults, runs, Repair::rebook);
    EXPECT_GT(with.rebooked, 0);
    EXPECT_LT(with.overdue, with.runs / 4) << "too few runs show anything";
  }

  ReplicatedServers servers_;
};

TEST_P(RebookModel, FailoversAdmitNoMoreThanTheLimit) {
  check(Faults::failovers, 40, 10);
}

TEST_P(RebookModel, NorDoMastersThatComeBackEmpty) {
  check(Faults::emptied_masters_too, 15, 10);
}

INSTANTIATE_TEST_SUITE_P(EachAlgorithm, RebookModel, ::testing::ValuesIn(limiter::testing::kAlgorithms),
                         [](const auto& of) { return std::string(name_of(of.param)); });

}  // namespace
}  // namespace sluice::store::redis::testing
