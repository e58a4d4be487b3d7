// Aim: what the socket's file looks like, which paths are refused and why, and what is left at the end.
//
// Method: real files in a directory of the test's own; neighbours are plain sockets.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "net/listen.h"
#include "net/posix.h"
#include "unit/net/listen_unix_fixture.h"
#include "unit/net/support.h"

namespace sluice::net {
namespace {

mode_t permissions(const std::string& path) {
  return status_of(path).st_mode & 07777U;
}

std::string content_of(const std::string& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

class ListenUnixTest : public ListenUnixFixture {};

TEST_F(ListenUnixTest, ServesAndCleansUp) {
  {
    const auto listener = listen();
    ASSERT_TRUE(listener.has_value()) << listener.error().message;
    EXPECT_EQ((*listener)->address(), path);
    EXPECT_EQ(names(), (std::set<std::string>{"sluice.sock", "sluice.sock.lock"}));
    EXPECT_EQ(content_of(path + ".lock"), std::to_string(::getpid()) + "\n");
    EXPECT_EQ(permissions(path + ".lock"), 0600U);
    expect_serves(path);
  }
  EXPECT_EQ(names(), std::set<std::string>{"sluice.sock.lock"});
  EXPECT_TRUE(listen().has_value());
}

TEST_F(ListenUnixTest, SetsExactlyTheModeWhateverTheUmask) {
  for (const mode_t mask : {0000U, 0022U, 0077U, 0777U}) {
    for (const mode_t mode : {0600U, 0660U, 0666U, 0777U}) {
      const mode_t before = ::umask(mask);
      const auto listener = listen({.path = path, .mode = mode});
      ::umask(before);
      ASSERT_TRUE(listener.has_value()) << listener.error().message;
      EXPECT_EQ(permissions(path), mode);
    }
  }
}

TEST_F(ListenUnixTest, TheGroupIsTheDirectorysOrProcesssUnlessGiven) {
  write_file(directory / "reference", "");
  const gid_t usual = status_of(directory / "reference").st_gid;
  EXPECT_TRUE(listen().has_value());
  {
    const auto listener = listen();
    ASSERT_TRUE(listener.has_value()) << listener.error().message;
    EXPECT_EQ(status_of(path).st_gid, usual);
  }
  const gid_t other = ::geteuid() == 0 ? usual + 4711 : usual;
  const auto listener = listen({.path = path, .group = other});
  ASSERT_TRUE(listener.has_value()) << listener.error().message;
  EXPECT_EQ(status_of(path).st_gid, other);
  EXPECT_EQ(permissions(path), 0660U);
}

TEST_F(ListenUnixTest, NeverReplacesWhatIsNoSocket) {
  write_file(path, "precious");
  const auto refuse = [&](const std::string& at) {
    const auto refused = listen({.path = at});
    ASSERT_FALSE(refused.has_value()) << at;
    EXPECT_EQ(refused.error().message,
              at + " exists and is not a socket; remove it or choose another [server] socket");
  };
  refuse(path);
  EXPECT_EQ(content_of(path), "precious");
  std::filesystem::create_symlink(path, directory / "link");
  refuse(directory / "link");
  std::filesystem::create_directory(directory / "dir");
  refuse(directory / "dir");
}

TEST_F(ListenUnixTest, SaysWhatIsWrongWithAPath) {
  const auto message = [&](const std::string& at) {
    const auto refused = listen_unix(loop, {.path = at}, accepted);
    return refused ? std::string{"accepted"} : refused.error().message;
  };
  EXPECT_EQ(message(directory / "no/such"), "cannot make the socket " + (directory / "no/such") +
                                                ": the directory " + (directory / "no/") +
                                                " does not exist; create it");
  EXPECT_EQ(message(""), "\"\" is no path for a socket");
  EXPECT_EQ(message(directory / ""), "\"" + (directory / "") + "\" is no path for a socket");
  EXPECT_EQ(message(std::string("\0abstract", 9)), "\"\\x00abstract\" is no path for a socket");
  write_file(directory / "file", "");
  EXPECT_NE(message(directory / "file/sock").find("Not a directory"), std::string::npos);
}

TEST_F(ListenUnixTest, TakesTheLongestPathAndNoLonger) {
  std::string longest = directory / "";
  longest.append(kMaxSocketPath - longest.size(), 's');
  const auto listener = listen({.path = longest});
  ASSERT_TRUE(listener.has_value()) << listener.error().message;
  EXPECT_TRUE(S_ISSOCK(status_of(longest).st_mode));
  expect_serves(longest);

  const auto refused = listen({.path = longest + "s"});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message,
            "the socket path " + longest + "s has 108 bytes; Unix sockets allow 107");
}

TEST_F(ListenUnixTest, TheTemporaryNameSparesItsNeighbours) {
  // "sluice.soc~" is the first choice for the name beside "sluice.sock".
  const Fd neighbour = foreign_socket(directory / "sluice.soc~");
  const ino_t inode = status_of(directory / "sluice.soc~").st_ino;
  const auto listener = listen();
  ASSERT_TRUE(listener.has_value()) << listener.error().message;
  EXPECT_EQ(status_of(directory / "sluice.soc~").st_ino, inode);
  EXPECT_EQ(names(), (std::set<std::string>{"sluice.soc~", "sluice.sock", "sluice.sock.lock"}));
  EXPECT_TRUE(listen({.path = directory / "~"}).has_value());
}

TEST_F(ListenUnixTest, LeavesNothingBehindWhenItFails) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may give files to any group";
  const auto refused = listen({.path = path, .group = 0});
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("must belong to that group"), std::string::npos);
  EXPECT_EQ(names(), std::set<std::string>{"sluice.sock.lock"});
}

}  // namespace
}  // namespace sluice::net
