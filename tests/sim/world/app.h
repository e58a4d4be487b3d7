// An application beside its daemon: asks it by RESP3 over their local socket, as any client would, and judges
// every answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/connector.h"
#include "base/stream.h"
#include "base/time.h"
#include "sim/check/answers.h"
#include "sim/core/draw.h"
#include "sim/core/node_clock.h"
#include "sim/core/node_loop.h"
#include "sim/core/timeline.h"
#include "sim/core/trace.h"
#include "sim/network/network.h"
#include "sim/world/books.h"
#include "sim/world/plan.h"
#include "sim/world/states.h"
#include "wire/resp/reply_parser.h"

namespace sluice::sim {

/// What all parts of the world are given. All of it outlives them.
struct Surroundings {
  Timeline& timeline;
  Network& network;
  Trace& trace;
  const Plan& plan;
  Books& books;
  States& states;
};

class App final : private ConnectEvents, private StreamEvents {
 public:
  /// On the machine `host`, whose clock is `clock`.
  App(const Surroundings& world, HostId host, const NodeClock& clock, Draw draw, std::string name);
  ~App() override;
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  enum class Load : std::uint8_t {
    as_planned,
    saturating,  ///< every limit that can be is asked for more than it has
    none,
  };
  void load(Load load);

  /// The process dies with its connection, and another one starts after that.
  void crash(Duration back_after);
  /// The daemon was stopped for so long, and could not answer.
  void daemon_paused(Duration length);

  [[nodiscard]] std::uint64_t answers() const { return answers_; }
  /// What it found wrong, for people.
  [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }
  /// Tokens of answers that were lost on their way: nobody knows whether they were allowed.
  [[nodiscard]] std::int64_t lost_tokens() const { return lost_tokens_; }
  /// Ends the run: what is not answered by now, and should be, is a violation.
  void finish();

 private:
  struct Question {
    enum class Kind : std::uint8_t { hello, check, peek, refund };
    Kind kind = Kind::check;
    std::vector<KeyId> keys{};
    std::int64_t cost = 0;
  };

  void begin();
  void end();
  void dial();
  void on_connected(std::unique_ptr<ByteStream> stream) override;
  void on_connect_failed(std::string_view reason) override;
  void on_bytes(std::string_view bytes) override;
  void on_end() override;
  void on_drained() override {}
  void on_closed(std::string_view reason) override;
  void disconnected();

  void arm(std::size_t traffic);
  [[nodiscard]] double rate_of(const TrafficPlan& traffic) const;
  void ask(const TrafficPlan& traffic);
  void send(Question question);
  void answered(const wire::resp::Value& value);
  void judge(const Question& question, const wire::resp::Value& value);
  void refund_later(const Question& question);
  void wrong(std::string_view what);

  Surroundings world_;
  HostId host_;
  const NodeClock& clock_;
  Draw draw_;
  std::string name_;
  Load load_ = Load::as_planned;
  std::vector<std::string> violations_;
  std::uint64_t answers_ = 0;
  std::int64_t lost_tokens_ = 0;
  SimTime daemon_back_{};  ///< when the daemon goes on

  // Of its process; in the order of construction.
  std::unique_ptr<NodeLoop> loop_;
  std::unique_ptr<Connector> connector_;
  std::unique_ptr<ConnectAttempt> attempt_;
  std::unique_ptr<ByteStream> stream_;
  std::optional<AnswerBook> book_;
  std::deque<Question> questions_;
  std::string buffer_;
};

}  // namespace sluice::sim
