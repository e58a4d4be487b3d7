// The store of a fleet: limits are counted in one Redis server, by scripts.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/connector.h"
#include "base/hash.h"
#include "base/liveness.h"
#include "base/loop.h"
#include "base/random.h"
#include "base/time.h"
#include "limiter/limit.h"
#include "store/redis/attach_codec.h"
#include "store/redis/breaker.h"
#include "store/redis/connection.h"
#include "store/redis/errors.h"
#include "store/redis/ledger.h"
#include "store/redis/lineage.h"
#include "store/redis/reply.h"
#include "store/redis/request.h"
#include "store/redis/script_codec.h"
#include "store/redis/scripts.h"
#include "store/redis/store_clock.h"
#include "store/store.h"

namespace sluice::store::redis {

struct RedisStoreOptions {
  ConnectionOptions connection{};
  std::string prefix = "sluice";      ///< of all keys
  std::size_t max_requests = 10'000;  ///< not answered yet; further ones are unavailable
  /// Our id among the daemons that count in this shard: 16 hexadecimal digits, different for each process.
  /// Empty: drawn.
  std::string member{};
  /// Longest that a new history waits for others to rebook what it may have lost; by the server's clock.
  Duration repair_timeout = std::chrono::seconds{5};
  /// How often we tell the shard that we are alive, which it holds for true for 15 s.
  Duration announce_every = std::chrono::seconds{3};
  std::size_t max_ledger_keys = 100'000;  ///< see Ledger, which says what beyond it is lost
};

/// Plain numbers for observe/ to render.
struct RedisStoreCounters {
  std::uint64_t requests = 0;  ///< that went out, each once however often it was asked again
  std::uint64_t refused = 0;   ///< that did not: not serving, stalled, or at a bound
  std::uint64_t lost = 0;      ///< whose outcome stayed unknown
  std::uint64_t stale = 0;     ///< give-backs of a history that is gone
  std::uint64_t asked_again =
      0;  ///< since the server had not done what was asked (script, history, calendar)
  std::uint64_t attaches = 0;
  std::uint64_t histories = 0;        ///< of the shard's data that it has served, each as often as met anew
  std::uint64_t repairing = 0;        ///< leases refused since others had not rebooked yet
  std::uint64_t rebooked_keys = 0;    ///< that a new history had lost debits of
  std::uint64_t rebooked_tokens = 0;  ///< debited again
  std::uint64_t unreplicated_joins = 0;  ///< no replica was known to have our joining before our first lease
  std::size_t ledger_keys = 0;           ///< now
  std::uint64_t ledger_dropped = 0;      ///< keys that would not be rebooked, for want of room
  ErrorCounts errors{};                  ///< answers that were errors, NOSCRIPT among them
  ConnectionCounters connection{};
};

/// For the daemon's log. From the loop; not paced: who listens does that. No secrets and no raw keys in the
/// texts.
class RedisStoreEvents {
 public:
  virtual ~RedisStoreEvents() = default;
  /// Attached. `new_history`: what was granted before belongs to another one.
  virtual void on_serving(Generation generation, bool new_history) = 0;
  virtual void on_lost(std::string_view reason) = 0;
  virtual void on_attempt_failed(std::string_view reason) = 0;
  /// What a new history had lost of our debits has been debited again; serving is next, as soon as the others
  /// have done the same.
  virtual void on_rebooked(std::uint64_t keys, std::uint64_t tokens) {
    static_cast<void>(keys);
    static_cast<void>(tokens);
  }
  /// A request, or attaching, was answered by an error (but for those that are mended by asking again).
  virtual void on_refused(ErrorKind kind, std::string_view text) = 0;
};

/// After each connecting it attaches: it learns which history the data has, debits again what that has lost
/// of our own debits (see Ledger), and says so. From then on until the connection is down it serves;
/// unavailable else. A request is only ever sent again when the server said that it did not carry it out.
class RedisStore final : public Store, private ConnectionEvents {
 public:
  /// All references must outlive the store. Does nothing before start().
  RedisStore(Loop& loop, Connector& connector, Random& random, RedisStoreEvents& events,
             RedisStoreOptions options);
  ~RedisStore() override;
  RedisStore(const RedisStore&) = delete;
  RedisStore& operator=(const RedisStore&) = delete;

  void start() { connection_.start(); }

  void set_sink(StoreSink& sink) override { sink_ = &sink; }
  [[nodiscard]] std::optional<Outcome> lease(const LeaseRequest& request, std::uint64_t tag) override;
  [[nodiscard]] std::optional<Outcome> peek(std::string_view key, const limiter::Limit& limit,
                                            std::int64_t cost, std::uint64_t tag) override;
  /// Of another generation than the present one: unavailable, and counted as stale.
  [[nodiscard]] std::optional<Outcome> give_back(const GiveBack& request, std::uint64_t tag) override;
  [[nodiscard]] std::optional<Outcome> reset(std::string_view key, const limiter::Limit& limit,
                                             std::uint64_t tag) override;
  /// 0 when not serving.
  [[nodiscard]] Generation generation_of(std::string_view key) const override;

  [[nodiscard]] Fleet fleet_of(std::string_view /*key*/) const override {
    return {.members = members_, .self = self_};
  }

  [[nodiscard]] bool serving() const { return phase_ == Phase::serving; }
  /// Ids of those that count in this shard, as last heard; ours is among them, and they are in order.
  [[nodiscard]] const std::vector<std::string>& members() const { return members_; }
  [[nodiscard]] std::string_view self() const { return self_; }
  /// Tells the shard that we are going, so that it will not wait for us; the last thing to be asked of the
  /// store. Does nothing when it does not serve.
  void leave();
  /// Requests without an answer.
  [[nodiscard]] std::size_t in_flight() const { return requests_.size() + waiting_.size(); }
  [[nodiscard]] RedisStoreCounters counters() const;

  /// Drops the connection; it comes back by itself.
  void drop(std::string_view reason) { connection_.drop(reason); }
  /// The master has moved: drops the connection, and connects to where it is now.
  void redirect(std::string_view reason) { connection_.redirect(reason); }

 private:
  void on_ready() override;
  void on_down(std::string_view reason) override;
  void on_attempt_failed(std::string_view reason) override { events_.on_attempt_failed(reason); }
  void on_reply(std::uint64_t tag, const Reply& reply) override;
  void on_lost_reply(std::uint64_t tag) override;

  /// By its name, which takes 40 bytes, or whole, which makes the server know the name from then on.
  enum class Form : std::uint8_t { by_name, whole };

  [[nodiscard]] Request make(Script script, std::string_view key, const limiter::Limit& limit,
                             std::uint64_t tag) const;
  [[nodiscard]] std::optional<Outcome> submit(Request request);
  void encode_now(Request& request, WallTime expected_now);
  /// False: nothing was sent. Else the request is moved from.
  [[nodiscard]] bool send(Request& request, Form form);
  [[nodiscard]] bool send_script(Script script, Form form, std::span<const std::string_view> keys,
                                 const Arguments& arguments, std::uint64_t tag);
  /// `request` was encoded anew if it had to be. Fails it if it cannot be sent.
  void ask_again(Request request, Form form);
  /// The last thing that is done in an event: the sink may destroy the store.
  void finish(const Request& request, const Outcome& outcome);
  void fail(const Request& request, StoreError error);

  void answered(Request request, const ScriptAnswer& answer);
  void answered_by_error(Request request, std::string_view error);
  void belongs_to_other_history(Request request);
  /// Takes a request out of the table; its outcome is known, or lost.
  [[nodiscard]] Request take(std::uint64_t tag);

  /// What was carried out goes into the ledger.
  void keep_account(const Request& request, const Grant& grant);

  void attach(Form form);
  void attach_answered(const Reply& reply);
  void attached(const Attached& attached);
  /// Attaching, or what belongs to it, has failed.
  void attach_failed(ErrorKind kind, const std::string& text);
  [[nodiscard]] Generation generation_from(const Lineage& lineage) const;
  void serve();

  void await_replica();
  void replica_answered(const Reply& reply);
  /// Sends the next of to_rebook_; when all are answered, goes on.
  void rebook();
  void rebooked(const Request& request, const Grant& answer);
  void rebook_failed(const Request& request, StoreError error);
  void rebook_in_other_history(const Request& request);
  void all_rebooked();
  void announce(Form form, Announcement announcement);
  void announce_answered(const Reply& reply);
  void announced(const Announced& announced);
  void announce_later();
  void know(std::vector<std::string> members);

  /// Of attaching to a history, one after the other. (A connection that serves goes on doing so while it
  /// attaches anew.)
  enum class Phase : std::uint8_t {
    none,           ///< not connected, or the script is under way
    joining,        ///< until a replica knows us
    rebooking,      ///< until what the history lacks is debited again
    acknowledging,  ///< until the shard knows that it is
    serving,
  };

  Loop& loop_;
  RedisStoreEvents& events_;
  Random& random_;
  RedisStoreOptions options_;
  std::string meta_;  ///< key of the shard's meta hash; no counter has it, since no rule's name has an @
  RedisStoreCounters counters_;
  Scripts scripts_;
  KeyedHash hash_;
  StoreClock clock_;
  StoreSink* sink_ = nullptr;
  Breaker breaker_;

  Phase phase_ = Phase::none;
  Lineage lineage_;
  std::vector<LineageLine> lines_;  ///< of the histories up to lineage_
  Generation generation_ = 0;       ///< of lineage_
  Generation last_generation_ = 0;  ///< the last one that was served
  bool acknowledged_ = false;       ///< the shard knows that we have nothing to rebook
  Instant history_began_{};         ///< or later; no longer ago than repair_timeout

  std::string self_;
  std::vector<std::string> members_;
  Ledger ledger_;
  std::vector<std::string> to_rebook_;  ///< counters
  std::size_t rebooking_ = 0;           ///< requests under way
  std::uint64_t keys_before_ = 0;       ///< counters_.rebooked_keys before this history
  std::uint64_t tokens_before_ = 0;

  std::uint64_t next_tag_ = 1;
  std::uint64_t attach_tag_ = 0;  ///< of the attach under way; 0: none is
  Instant attach_sent_at_{};
  Form attach_form_ = Form::by_name;
  std::uint64_t replica_tag_ = 0;  ///< of WAIT
  std::uint64_t announce_tag_ = 0;
  Form announce_form_ = Form::by_name;
  Announcement announcement_ = Announcement::alive;
  TimerId announce_timer_ = 0;
  bool leaving_ = false;
  std::unordered_map<std::uint64_t, Request> requests_;  ///< by the connection's tag
  std::vector<Request> waiting_;                         ///< for the attach under way
  /// The connection's tag of each script that went out whole and is not answered: the server will know its
  /// name before it reads what follows. 0: none.
  std::array<std::uint64_t, kScripts> loading_{};

  Connection connection_;
  Liveness liveness_;
};

}  // namespace sluice::store::redis
