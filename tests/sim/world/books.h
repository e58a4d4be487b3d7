// The world's own account of every token: what servers debited and lost, what applications were let through,
// and what of that the promise does not cover. It knows everything, at once, as nobody in the world does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "sim/check/conservation.h"
#include "sim/check/limits.h"
#include "sim/core/timeline.h"
#include "sim/core/trace.h"
#include "sim/network/network.h"
#include "sim/redis/observer.h"
#include "sim/world/plan.h"
#include "sim/world/states.h"

namespace sluice::sim {

/// One counter.
struct KeyId {
  std::size_t rule = 0;
  std::int64_t value = 0;
  auto operator<=>(const KeyId&) const = default;
};
/// The value of its descriptor; found again within the names of counters in Redis.
[[nodiscard]] std::string value_text(KeyId key);
[[nodiscard]] std::optional<KeyId> key_within(std::string_view text);

struct KeyBook {
  std::vector<Admission> admissions;
  std::vector<Excuse> excuses;
  std::int64_t requested = 0;  ///< cost of all checks answered
};

class Books final : public RedisObserver {
 public:
  /// The references must outlive the books.
  Books(const Timeline& timeline, const Trace& trace, const Plan& plan, States& states);

  // --- applications ---------------------------------------------------------------------------------------
  void asked(KeyId key, std::int64_t cost) { keys_[key].requested += cost; }
  void admitted(KeyId key, std::int64_t cost);
  /// … by the daemon of this host, from tokens that the store had granted to it.
  void spent(HostId host, KeyId key, std::int64_t cost);
  /// Tokens that the promise does not cover.
  void excuse(KeyId key, std::int64_t tokens);

  // --- daemons: `member` is the name by which one process calls itself -------------------------------------
  void died(const std::string& member);

  // --- servers --------------------------------------------------------------------------------------------
  /// Tells of a server which one is the master of its group by the world's will: what is debited elsewhere is
  /// lost. To be set before anything runs.
  void set_masters(std::function<HostId(HostId)> master_of) { master_of_ = std::move(master_of); }
  /// Counters have moved between groups: from then on it is not known where a debit is.
  void on_moved() { moved_ = true; }
  void on_script(const ScriptRun& run) override;
  void on_history(HostId server, HostId old_master, std::uint64_t kept) override;
  /// Its data is emptied while it runs, which is `offset` of its stream.
  void on_flush(HostId server, std::uint64_t offset);

  [[nodiscard]] const std::map<KeyId, KeyBook>& keys() const { return keys_; }
  /// The first spending or giving back of tokens that were not there.
  [[nodiscard]] const std::optional<std::string>& made_up() const { return made_up_; }
  [[nodiscard]] std::uint64_t lost_debits() const { return lost_debits_; }
  /// When a daemon last asked a server for tokens.
  [[nodiscard]] SimTime last_asked() const { return last_asked_; }
  [[nodiscard]] std::int64_t granted_tokens() const { return granted_tokens_; }
  [[nodiscard]] std::int64_t admitted_tokens() const { return admitted_tokens_; }

 private:
  struct Debit {
    std::uint64_t offset = 0;
    KeyId key;
    std::int64_t tokens = 0;
    std::string member;
    std::string counter;  ///< its name in Redis
    SimTime at{};
    std::uint64_t flushed_at = 0;  ///< offset at which the data was emptied; 0: it was not
  };
  /// What one server's data has gone through.
  struct Stream {
    std::vector<Debit> debits;   ///< in the data
    std::vector<Debit> pending;  ///< not in the data any more: to be rebooked
    /// By the start of the counters' names, of which a cluster has one for each logical shard: when somebody
    /// first attached in the present history.
    std::map<std::string, SimTime> attached;
    std::optional<HostId> replaced_by;  ///< another one is the master now: what is debited here is lost
    bool knows_nobody = false;          ///< the history began with empty data
  };

  void say(const std::string& what) const;  ///< for people who watch a run
  void debit(const ScriptRun& run, KeyId key, std::int64_t tokens);
  void doubt_all();
  void lose(Stream& stream, std::vector<Debit> debits);
  void excuse_pending(Stream& stream, const std::function<bool(const Debit&)>& which);
  void excuse_doubted(const std::function<bool(const Debit&)>& which);
  [[nodiscard]] bool counts(const Debit& debit) const;
  void on_lease(const ScriptRun& run, KeyId key);
  void on_give_back(const ScriptRun& run, KeyId key);
  [[nodiscard]] std::int64_t oldest_within(KeyId key) const;
  void take(const Holder& holder, std::int64_t tokens, std::string_view what, std::int64_t since);

  const Timeline& timeline_;
  const Trace& trace_;
  const Plan& plan_;
  States& states_;
  std::map<KeyId, KeyBook> keys_;
  std::map<HostId, Stream> streams_;
  std::function<HostId(HostId)> master_of_;
  bool moved_ = false;
  std::vector<Debit> doubted_;  ///< of daemons alive, once counters have moved
  std::set<std::string> dead_;
  Holdings holdings_;
  std::optional<std::string> made_up_;
  std::uint64_t lost_debits_ = 0;
  SimTime last_asked_{};
  std::int64_t granted_tokens_ = 0;
  std::int64_t admitted_tokens_ = 0;
};

}  // namespace sluice::sim
