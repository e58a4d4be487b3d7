// Aim: an event is told once, in order, one at a time; what fails is tried again, but never more often than
// is allowed; everything is bounded and counted. Method: the webhook over a fake connector and virtual time;
// the test is the receiver.
#include "daemon/webhook.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/http_url.h"
#include "base/time.h"
#include "base/version.h"
#include "observe/events.h"
#include "support/fake_connector.h"
#include "support/virtual_loop.h"

namespace sluice::daemon {
namespace {

using namespace std::chrono_literals;
using test::FakeConnector;
using test::FakeWire;

constexpr std::string_view kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
/// Longer than any pause between two tries.
constexpr Duration kLongestPause = 8s;

struct WebhookTest : testing::Test {
  test::VirtualLoop loop;
  test::SeededRandom random;
  FakeConnector connector{loop};
  std::vector<std::string> failures;
  std::optional<Webhook> webhook;

  void make(std::size_t max_per_minute = 1000, std::string_view url = "http://alerts:9000/hook?a=b") {
    webhook.emplace(loop, connector, random, options(max_per_minute, url));
  }

  WebhookOptions options(std::size_t max_per_minute, std::string_view url) {
    return {.url = *HttpUrl::parse(url),
            .timeout = 2s,
            .max_per_minute = max_per_minute,
            .failed = [this](std::string_view reason) { failures.emplace_back(reason); }};
  }

  void raise(const std::string& message, const std::string& kind = "shard_lost") {
    webhook->on_event({.time = loop.clock().wall_now(), .kind = kind, .message = message});
    loop.turn();
  }

  /// Takes the connection that is asked for, and answers what comes on it; gives the request.
  std::string answer(std::string_view bytes) {
    FakeWire& wire = connector.accept();
    const std::string request = test::heard(wire);
    test::say(wire, bytes);
    loop.turn();
    return request;
  }

  /// Lets time pass until there is another try; false if there is none.
  bool tries_again() {
    const Instant end = loop.clock().now() + kLongestPause;
    while (!connector.trying() && loop.clock().now() < end) loop.advance(10ms);
    return connector.trying();
  }

  void expect_counts(std::uint64_t ok, std::uint64_t failed, std::uint64_t dropped) {
    EXPECT_EQ(webhook->counters().ok, ok);
    EXPECT_EQ(webhook->counters().failed, failed);
    EXPECT_EQ(webhook->counters().dropped, dropped);
  }
};

TEST_F(WebhookTest, posts_an_event) {
  make();
  raise("gone");
  EXPECT_EQ(connector.endpoint().text(), "alerts:9000");
  const std::string body =
      R"({"source":"sluice","event":{"time_ms":1800000000000,"level":"info","kind":"shard_lost",)"
      R"("message":"gone","rule":null,"key":null,"count":null},"dropped":0})";
  EXPECT_EQ(answer(kOk),
            "POST /hook?a=b HTTP/1.1\r\nHost: alerts:9000\r\nUser-Agent: sluice/" + std::string(version()) +
                "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
                "\r\nConnection: close\r\n\r\n" + body);
  expect_counts(1, 0, 0);
  EXPECT_TRUE(connector.wire().closed);
  EXPECT_FALSE(connector.trying());
  EXPECT_EQ(loop.timers(), 0U);
}

TEST_F(WebhookTest, one_at_a_time_and_in_order) {
  make();
  for (const char* message : {"first", "second", "third"}) raise(message);
  for (const char* message : {"first", "second", "third"}) {
    ASSERT_TRUE(connector.trying());
    FakeWire& wire = connector.accept();
    EXPECT_TRUE(wire.received.contains(message)) << wire.received;
    EXPECT_FALSE(connector.trying()) << "a second try while one is under way";
    loop.advance(1s);
    EXPECT_FALSE(connector.trying());
    for (const char c : kOk) test::say(wire, {&c, 1});
    loop.turn();
  }
  EXPECT_EQ(connector.attempts(), 3U);
  expect_counts(3, 0, 0);
}

TEST_F(WebhookTest, what_another_try_may_mend) {
  for (const std::string_view status : {"500", "503", "429", "408"}) {
    make();
    const std::size_t before = connector.attempts();
    raise("gone");
    for (int i = 0; i < Webhook::kTries; ++i) {
      ASSERT_TRUE(tries_again()) << status;
      answer(std::string("HTTP/1.1 ").append(status).append(" No\r\nContent-Length: 0\r\n\r\n"));
      EXPECT_FALSE(connector.trying()) << "no pause";
    }
    EXPECT_FALSE(tries_again());
    EXPECT_EQ(connector.attempts() - before, 3U);
    expect_counts(0, 1, 0);
    EXPECT_EQ(failures.back(), std::string("the answer was ").append(status));
  }
}

TEST_F(WebhookTest, a_later_try_may_succeed) {
  make();
  raise("gone");
  connector.refuse("alerts:9000: connection refused");
  ASSERT_TRUE(tries_again());
  answer("HTTP/1.1 502 Bad\r\n\r\n");  // without a length: the end is the end of the connection
  connector.wire().events->on_end();
  ASSERT_TRUE(tries_again());
  const std::string request = answer("HTTP/1.1 204 No Content\r\n\r\n");
  EXPECT_TRUE(request.contains("\"gone\"") && request.contains("\"dropped\":0")) << request;
  expect_counts(1, 0, 0);
  EXPECT_TRUE(failures.empty());
}

TEST_F(WebhookTest, what_is_final_at_once) {
  for (const std::string_view status : {"301", "400", "401", "404", "410"}) {
    make();
    const std::size_t before = connector.attempts();
    raise("gone");
    answer(std::string("HTTP/1.1 ")
               .append(status)
               .append(" No\r\nLocation: http://b/\r\nContent-Length: 0\r\n\r\n"));
    EXPECT_FALSE(tries_again());
    EXPECT_EQ(connector.attempts() - before, 1U) << status;
    expect_counts(0, 1, 0);
  }
}

TEST_F(WebhookTest, refused_connections) {
  make();
  raise("gone");
  for (int i = 0; i < Webhook::kTries; ++i) {
    ASSERT_TRUE(tries_again());
    connector.refuse("alerts:9000: connection refused");
  }
  EXPECT_FALSE(tries_again());
  EXPECT_EQ(connector.attempts(), 3U);
  EXPECT_EQ(failures, std::vector<std::string>{"alerts:9000: connection refused"});
  expect_counts(0, 1, 0);
}

TEST_F(WebhookTest, silence_and_what_is_no_http) {
  make();
  raise("gone");
  loop.advance(2s);  // nobody takes the connection
  EXPECT_FALSE(connector.trying()) << "the attempt is given up";
  ASSERT_TRUE(tries_again());
  FakeWire& mute = connector.accept();
  loop.advance(2s);
  EXPECT_TRUE(mute.closed);
  ASSERT_TRUE(tries_again());
  answer("220 mail.example ESMTP\r\n");
  EXPECT_EQ(failures, std::vector<std::string>{"the answer does not begin with HTTP/1.1 or HTTP/1.0"});
  expect_counts(0, 1, 0);
}

TEST_F(WebhookTest, the_status_is_the_answer) {
  make();
  raise("slow body");
  answer("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbut");
  loop.advance(2s);
  expect_counts(1, 0, 0);
  raise("a page");
  answer("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n");
  expect_counts(2, 0, 0);
  raise("endless");
  answer("HTTP/1.1 201 OK\r\n\r\n" + std::string(20'000, 'x'));
  expect_counts(3, 0, 0);
}

TEST_F(WebhookTest, a_connection_that_breaks) {
  make();
  raise("gone");
  for (int i = 0; i < Webhook::kTries; ++i) {
    ASSERT_TRUE(tries_again());
    connector.accept().events->on_closed("certificate required");
  }
  EXPECT_EQ(failures, std::vector<std::string>{"certificate required"});
}

TEST_F(WebhookTest, never_more_than_so_many_a_minute) {
  make(3);
  std::vector<Instant> tries;
  for (int i = 0; i < 10; ++i) raise("event");
  const Instant end = loop.clock().now() + 5min;
  while (loop.clock().now() < end) {
    if (connector.trying()) {
      tries.push_back(loop.clock().now());
      answer(tries.size() % 2 == 0 ? "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n" : kOk);
    }
    if (!connector.trying()) loop.advance(100ms);
  }
  for (std::size_t i = 3; i < tries.size(); ++i) EXPECT_GE(tries[i] - tries[i - 3], 1min);
  EXPECT_EQ(tries.size(), 15U) << "what is allowed is used";
}

TEST_F(WebhookTest, the_queue_is_bounded_and_losses_are_told) {
  make();
  for (std::size_t i = 0; i < Webhook::kQueue + 5; ++i) raise("event");
  expect_counts(0, 0, 5);
  EXPECT_TRUE(answer("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n").contains("\"dropped\":5"));
  EXPECT_TRUE(answer(kOk).contains("\"dropped\":6")) << "the one that was given up is lost, too";
  EXPECT_TRUE(answer(kOk).contains("\"dropped\":0"));
  expect_counts(2, 1, 5);
}

TEST_F(WebhookTest, its_own_failures_are_not_told) {
  make();
  raise("the webhook failed", std::string(Webhook::kOwnKind));
  EXPECT_FALSE(connector.trying());
}

TEST_F(WebhookTest, other_settings_apply_to_what_waits) {
  make();
  raise("gone");
  FakeWire& old = connector.accept();
  raise("later");
  FakeConnector other(loop);
  webhook->use(other, options(1000, "https://other/x"));
  EXPECT_TRUE(old.closed);
  ASSERT_TRUE(other.trying());
  EXPECT_EQ(other.endpoint().text(), "other:443");
  FakeWire& wire = other.accept();
  EXPECT_TRUE(wire.received.starts_with("POST /x HTTP/1.1\r\nHost: other\r\n")) << wire.received;
  EXPECT_TRUE(wire.received.contains("gone"));

  webhook->use(other, {});
  expect_counts(0, 0, 2);
  raise("nobody cares");
  expect_counts(0, 0, 2);
  EXPECT_EQ(loop.timers(), 0U);
}

TEST_F(WebhookTest, ends_at_any_time) {
  make();
  webhook.reset();
  make();
  raise("gone");
  webhook.reset();
  EXPECT_FALSE(connector.trying());
  make();
  raise("gone");
  FakeWire& wire = connector.accept();
  webhook.reset();
  EXPECT_TRUE(wire.closed);
  EXPECT_EQ(loop.timers(), 0U);
}

}  // namespace
}  // namespace sluice::daemon
