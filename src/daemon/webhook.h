// Tells another program of events, by HTTP.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/connector.h"
#include "base/http_url.h"
#include "base/loop.h"
#include "base/random.h"
#include "base/stream.h"
#include "base/time.h"
#include "observe/events.h"
#include "store/redis/backoff.h"
#include "wire/http1/response_parser.h"

namespace sluice::daemon {

struct WebhookOptions {
  HttpUrl url{};                                 ///< without a host: off
  Duration timeout = std::chrono::seconds{2};    ///< of one try, from dialling to the answer; above 0
  std::size_t max_per_minute = 12;               ///< tries in any minute, those repeated included; at least 1
  std::function<void(std::string_view)> failed;  ///< an event was given up, and why; may be empty
};

struct WebhookCounters {
  std::uint64_t ok = 0;
  std::uint64_t failed = 0;   ///< given up
  std::uint64_t dropped = 0;  ///< came while the queue was full, or waited when the webhook was turned off
};

/// POSTs each event as {"source":"sluice","event":{…},"dropped":n}, `n` being the events lost since the last
/// one that arrived. One at a time, each on a connection of its own, in the order of the events. An answer of
/// 2xx is success, with or without its body; 408, 429, 5xx and no answer are tried again, three times in all
/// with growing pauses; any other answer (a redirect, too) is final. Bound: 32 events wait. Events of the
/// kind "webhook_failed", which tell of itself, are passed over. What waits at the end of the process is
/// lost.
class Webhook final : public observe::EventSink, private ConnectEvents, private StreamEvents {
 public:
  static constexpr std::size_t kQueue = 32;
  static constexpr int kTries = 3;
  static constexpr std::string_view kOwnKind = "webhook_failed";

  /// `connector` speaks TLS if the URL asks for it. The references must outlive the webhook.
  Webhook(Loop& loop, Connector& connector, Random& random, WebhookOptions options);
  ~Webhook() override;
  Webhook(const Webhook&) = delete;
  Webhook& operator=(const Webhook&) = delete;

  /// From now on, for what waits, too: a try under way is given up and begun again. The old connector may go
  /// after this.
  void use(Connector& connector, WebhookOptions options);

  void on_event(const observe::Event& event) override;

  [[nodiscard]] const WebhookCounters& counters() const { return counters_; }

 private:
  enum class State : std::uint8_t { idle, waiting, trying };

  void on_connected(std::unique_ptr<ByteStream> stream) override;
  void on_connect_failed(std::string_view reason) override;
  void on_bytes(std::string_view bytes) override;
  void on_end() override;
  void on_drained() override {}
  void on_closed(std::string_view reason) override;

  [[nodiscard]] bool on() const { return !options_.url.host.empty(); }
  void begin();
  void start_try();
  void wait_for(Duration duration);
  [[nodiscard]] Duration until_allowed();
  [[nodiscard]] std::string request() const;
  void read(wire::http1::ResponseStatus status);
  void end_without_answer(const std::string& reason);
  void judge(int status);
  void succeed();
  void try_again(const std::string& reason);
  void give_up(const std::string& reason);
  void next_event();
  void close();

  Loop& loop_;
  Connector* connector_;
  WebhookOptions options_;
  store::redis::Backoff backoff_;
  State state_ = State::idle;
  std::deque<std::string> queue_;  // JSON of events; the first is the one under way
  int tries_ = 0;                  // of the first
  std::deque<Instant> tried_at_;   // within the last minute; bound: max_per_minute
  TimerId timer_ = 0;              // of a pause, or the deadline of a try
  std::unique_ptr<ConnectAttempt> attempt_;
  std::unique_ptr<ByteStream> stream_;
  std::unique_ptr<wire::http1::ResponseParser> parser_;
  wire::http1::ReceivedResponse response_;
  std::string received_;          // bound: the parser's
  std::uint64_t unreported_ = 0;  // events lost that no POST has told of
  std::uint64_t told_ = 0;        // of them in the POST under way
  WebhookCounters counters_;
};

}  // namespace sluice::daemon
