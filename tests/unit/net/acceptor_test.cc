// Aim: floods of connections are all taken; running out of descriptors neither ends the listener nor makes
// it spin; a listener may go away inside its own callback.
//
// Method: clients connect to the backlog first, so that the loop meets them all at once. A loop that spins
// is one that does not sleep, which the kernel counts, however busy the machine is.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <vector>

#include "net/posix.h"
#include "net/uv_stream.h"
#include "unit/net/connection_fixture.h"
#include "unit/net/support.h"

namespace sluice::net {
namespace {

class AcceptorTest : public ConnectionTest {
 protected:
  void connect_many(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) clients.push_back(connect_to(listener->address()));
  }
  std::vector<Client> clients;
};
INSTANTIATE_TEST_SUITE_P(, AcceptorTest, testing::Values(SocketKind::unix_domain, SocketKind::tcp),
                         kind_name);

/// Lets the process open no further descriptor while it lives.
class NoMoreDescriptors {
 public:
  NoMoreDescriptors() {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    // All below the first free one are taken.
    const Fd first_free{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
    rlimit none_left = before_;
    none_left.rlim_cur = static_cast<rlim_t>(first_free.get());
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none_left), 0);
  }
  ~NoMoreDescriptors() { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0); }
  NoMoreDescriptors(const NoMoreDescriptors&) = delete;
  NoMoreDescriptors& operator=(const NoMoreDescriptors&) = delete;

 private:
  rlimit before_{};
};

/// How often this process went to sleep of its own accord.
long sleeps() {
  rusage used{};
  EXPECT_EQ(::getrusage(RUSAGE_SELF, &used), 0);
  return used.ru_nvcsw;
}

TEST_P(AcceptorTest, TakesAFloodOfConnections) {
  constexpr std::size_t kFlood = 300;
  connect_many(kFlood);
  EXPECT_TRUE(run_until(loop, [&] { return accepted.streams.size() == kFlood; }));
  run_turns(loop, 3);
  EXPECT_EQ(accepted.streams.size(), kFlood);
}

TEST_P(AcceptorTest, WaitsForDescriptorsWithoutSpinning) {
  constexpr std::size_t kClients = 20;
  connect_many(kClients);
  {
    const NoMoreDescriptors exhausted;
    EXPECT_EQ(::dup(0), -1);
    EXPECT_EQ(errno, EMFILE);
    const long before = sleeps();
    run_turns(loop, 200);
    EXPECT_GT(sleeps() - before, 20);  // about 200; a loop that spins never sleeps
    EXPECT_TRUE(accepted.streams.empty());
  }
  EXPECT_TRUE(run_until(loop, [&] { return accepted.streams.size() == kClients; }));
}

TEST_P(AcceptorTest, MayBeDestroyedInItsCallback) {
  accepted.hook = [&] { listener.reset(); };
  connect_many(10);
  EXPECT_TRUE(run_until(loop, [&] { return !accepted.streams.empty(); }));
  run_turns(loop, 3);
  EXPECT_EQ(accepted.streams.size(), 1U);
}

TEST_P(AcceptorTest, MayBeDestroyedWhileItRests) {
  connect_many(1);
  {
    const NoMoreDescriptors exhausted;
    run_turns(loop, 5);
  }
  listener.reset();
  run_turns(loop, 5);
}

TEST_P(AcceptorTest, StreamsOutliveTheirListener) {
  Client client = connect();
  listener.reset();
  Recorder events;
  accepted.streams.back()->start(events);
  EXPECT_EQ(client.send_some("still here"), 10U);
  EXPECT_TRUE(run_until(loop, [&] { return events.bytes == "still here"; }));
}

}  // namespace
}  // namespace sluice::net
