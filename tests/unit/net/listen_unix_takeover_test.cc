// Aim: who may take over a socket's path, and from whom.
//
// Method: other holders are forked children (killed hard, or alive) and plain sockets without our lock; all
// in a directory of the test's own.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is POSIX, not C++
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <set>
#include <string>

#include "net/listen.h"
#include "net/posix.h"
#include "net/uv_loop.h"
#include "unit/net/listen_unix_fixture.h"
#include "unit/net/support.h"

namespace sluice::net {
namespace {

/// A process that listens on `path` until it is killed.
class Holder {
 public:
  explicit Holder(const std::string& path) {
    std::array<int, 2> ready{};
    EXPECT_EQ(::pipe2(ready.data(), O_CLOEXEC), 0);
    pid_ = ::fork();
    if (pid_ == 0) hold(path, ready[1]);
    ::close(ready[1]);
    char said = 0;
    EXPECT_EQ(::read(ready[0], &said, 1), 1);  // returns in any case: a child that dies closes its end
    EXPECT_EQ(said, 'y');
    ::close(ready[0]);
  }
  ~Holder() { kill_hard(); }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  void kill_hard() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  [[noreturn]] static void hold(const std::string& path, int ready) {
    UvLoop loop;
    Collector accepted;
    const auto listener = listen_unix(loop, {.path = path}, accepted);
    const char said = listener ? 'y' : 'n';
    if (::write(ready, &said, 1) != 1 || !listener) ::_exit(1);
    loop.run();
    ::_exit(0);
  }

  pid_t pid_ = 0;
};

class ListenUnixTakeoverTest : public ListenUnixFixture {};

TEST_F(ListenUnixTakeoverTest, RefusesASecondHolderByName) {
  Holder holder{path};
  const auto refused = listen();
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message, path + " is in use by process " + std::to_string(holder.pid()) +
                                         "; stop it or choose another [server] socket");
  // The holder is unharmed.
  int error = -1;
  const Client client = connect_to(path, &error);
  EXPECT_EQ(error, 0);
}

TEST_F(ListenUnixTakeoverTest, RefusesWhileTheLockIsHeldWhateverIsAtThePath) {
  const Holder holder{path};
  ASSERT_EQ(::unlink(path.c_str()), 0);
  const auto refused = listen();
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("process " + std::to_string(holder.pid())), std::string::npos);
}

TEST_F(ListenUnixTakeoverTest, ReplacesTheSocketOfAKilledHolder) {
  Holder holder{path};
  const ino_t old = status_of(path).st_ino;
  holder.kill_hard();
  int error = 0;
  static_cast<void>(connect_to(path, &error));
  EXPECT_EQ(error, ECONNREFUSED);  // stale indeed

  const auto listener = listen();
  ASSERT_TRUE(listener.has_value()) << listener.error().message;
  EXPECT_NE(status_of(path).st_ino, old);
  expect_serves(path);
}

TEST_F(ListenUnixTakeoverTest, RefusesALiveSocketWithoutALock) {
  const Fd foreign = foreign_socket(path);
  const ino_t inode = status_of(path).st_ino;
  const std::string by_pid = path + " is in use by process " + std::to_string(::getpid()) + ";";
  auto refused = listen();
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(refused.error().message.starts_with(by_pid)) << refused.error().message;

  // That question still waits in its backlog and fills it: now it cannot be asked, but it is alive all the
  // same.
  int error = 0;
  static_cast<void>(connect_to(path, &error));
  EXPECT_EQ(error, EAGAIN);
  refused = listen();
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("is in use by"), std::string::npos);
  EXPECT_EQ(status_of(path).st_ino, inode);
  EXPECT_EQ(names(), (std::set<std::string>{"sluice.sock", "sluice.sock.lock"}));
}

TEST_F(ListenUnixTakeoverTest, RefusesASocketOfAnotherType) {
  const Fd foreign = foreign_socket(path, SOCK_DGRAM);
  const auto refused = listen();
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("is in use by another process"), std::string::npos);
}

TEST_F(ListenUnixTakeoverTest, ReplacesAStaleSocketWithoutALock) {
  {
    const Fd foreign = foreign_socket(path);
  }
  const auto listener = listen();
  ASSERT_TRUE(listener.has_value()) << listener.error().message;
  expect_serves(path);
}

TEST_F(ListenUnixTakeoverTest, LeavesASocketThatIsNotItsOwn) {
  auto listener = listen();
  ASSERT_TRUE(listener.has_value()) << listener.error().message;
  ASSERT_EQ(::unlink(path.c_str()), 0);
  const Fd foreign = foreign_socket(path);
  listener->reset();
  EXPECT_TRUE(names().contains("sluice.sock"));

  // Nor does it mind if there is nothing at all.
  ASSERT_EQ(::unlink(path.c_str()), 0);
  listener = listen();
  ASSERT_TRUE(listener.has_value()) << listener.error().message;
  ASSERT_EQ(::unlink(path.c_str()), 0);
}

}  // namespace
}  // namespace sluice::net
