// Aim: every change of content is told once, however the file was changed: by a Kubernetes swap, by an
// editor's rename, in place, by deletion and re-creation, without events at all. What is no change of
// content is not told.
//
// Method: real directories. "Once" is told by the count after the *next* change. Where events are tested
// polling is a day away, so that only events can make the test pass; where polling is tested there are none.
#include "net/file_watch.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <ios>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "net/uv_loop.h"
#include "unit/net/support.h"

namespace sluice::net {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr FileWatchOptions kEventsOnly{.debounce = milliseconds{5}, .poll = std::chrono::hours{24}};
constexpr FileWatchOptions kPollOnly{.debounce = std::chrono::hours{24}, .poll = milliseconds{5}};

struct FileWatchTest : testing::Test {
  TempDir directory;
  std::string path = directory / "sluice.toml";
  UvLoop loop;
  int changes = 0;
  std::unique_ptr<FileWatch> file_watch;

  void watch(const FileWatchOptions& options, const std::string& file) {
    auto made = watch_file(loop, file, options, [this] { ++changes; });
    ASSERT_TRUE(made.has_value()) << made.error().message;
    file_watch = *std::move(made);
  }
  void expect_changes(int count) {
    EXPECT_TRUE(run_until(loop, [&] { return changes >= count; })) << "change " << count << " was not seen";
    EXPECT_EQ(changes, count);
  }
};

/// As the kubelet does it: a new directory, a new link, one rename.
void kubernetes_write(const TempDir& mount, const std::string& version, std::string_view content) {
  const std::string old = fs::exists(mount / "..data") ? fs::read_symlink(mount / "..data").string() : "";
  fs::create_directory(mount / version);
  write_file(mount / (version + "/sluice.toml"), content);
  fs::create_directory_symlink(version, mount / "..data_tmp");
  fs::rename(mount / "..data_tmp", mount / "..data");
  if (old.empty()) {
    fs::create_symlink("..data/sluice.toml", mount / "sluice.toml");
  } else {
    fs::remove_all(mount / old);
  }
}

TEST_F(FileWatchTest, SeesKubernetesSwaps) {
  kubernetes_write(directory, "..2026_1", "one");
  watch(kEventsOnly, path);
  EXPECT_EQ(file_watch->polling_only_because(), "");
  kubernetes_write(directory, "..2026_2", "two");
  expect_changes(1);
  kubernetes_write(directory, "..2026_3", "two");  // the same again, as a resync does
  kubernetes_write(directory, "..2026_4", "three");
  expect_changes(2);
}

TEST_F(FileWatchTest, SeesEditorsRenames) {
  write_file(path, "one");
  watch(kEventsOnly, path);
  for (int i = 1; i <= 3; ++i) {
    write_file(directory / ".sluice.toml.swp", "version " + std::to_string(i));
    fs::rename(directory / ".sluice.toml.swp", path);
    expect_changes(i);
  }
}

TEST_F(FileWatchTest, SeesWritesInPlace) {
  write_file(path, "one");
  watch(kEventsOnly, path);
  write_file(path, "two");
  expect_changes(1);
  std::ofstream{path, std::ios::app} << "and more";
  expect_changes(2);
}

TEST_F(FileWatchTest, SeesReCreationButNotDeletion) {
  write_file(path, "one");
  watch(kEventsOnly, path);
  fs::remove(path);
  run_turns(loop, 20);
  EXPECT_EQ(changes, 0);
  write_file(path, "one");  // what it last was
  run_turns(loop, 20);
  EXPECT_EQ(changes, 0);
  fs::remove(path);
  write_file(path, "two");
  expect_changes(1);
}

TEST_F(FileWatchTest, SeesTheFirstCreation) {
  watch(kEventsOnly, path);
  write_file(path, "one");
  expect_changes(1);
}

TEST_F(FileWatchTest, TellsABurstOnce) {
  write_file(path, "0");
  watch({.debounce = milliseconds{50}, .poll = std::chrono::hours{24}}, path);
  for (int i = 1; i <= 20; ++i) write_file(path, std::to_string(i));
  expect_changes(1);
  write_file(path, "the next");
  expect_changes(2);
}

TEST_F(FileWatchTest, IsNotKeptWaitingByItsNeighbours) {
  // With a long debounce that each event of another file would start again, this would never be told.
  write_file(path, "one");
  watch({.debounce = milliseconds{30}, .poll = std::chrono::hours{24}}, path);
  write_file(path, "two");
  int writes = 0;
  EXPECT_TRUE(run_until(loop, [&] {
    write_file(directory / "busy.log", std::to_string(++writes));
    return changes == 1;
  }));
}

TEST_F(FileWatchTest, FindsChangesByPollingWhereNoEventsCome) {
  write_file(path, "one");
  watch(kPollOnly, path);
  run_turns(loop, 20);
  EXPECT_EQ(changes, 0);
  write_file(path, "two");
  expect_changes(1);
  fs::remove(path);
  run_turns(loop, 20);
  write_file(path, "three");
  expect_changes(2);
}

TEST_F(FileWatchTest, PollsWithoutADirectoryAndWatchesItOnceItIsThere) {
  const std::string late = directory / "late/sluice.toml";
  watch({.debounce = milliseconds{1}, .poll = milliseconds{5}}, late);
  EXPECT_EQ(file_watch->polling_only_because(), "no such file or directory");
  fs::create_directory(directory / "late");
  write_file(late, "one");
  expect_changes(1);
  EXPECT_TRUE(run_until(loop, [&] { return file_watch->polling_only_because().empty(); }));

  // And again when the directory is replaced by another.
  fs::remove_all(directory / "late");
  EXPECT_TRUE(run_until(loop, [&] { return !file_watch->polling_only_because().empty(); }));
  fs::create_directory(directory / "late");
  write_file(late, "two");
  expect_changes(2);
}

TEST_F(FileWatchTest, IsNotBlockedByAFifoOrADirectoryInItsPlace) {
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  watch({.debounce = milliseconds{1}, .poll = milliseconds{5}}, path);
  run_turns(loop, 20);
  fs::remove(path);
  fs::create_directory(path);
  run_turns(loop, 20);
  EXPECT_EQ(changes, 0);
  fs::remove(path);
  write_file(path, "at last");
  expect_changes(1);
}

TEST_F(FileWatchTest, ReadsNoMoreThanItsBound) {
  const std::string large(kMaxWatchedBytes, 'x');
  write_file(path, large);
  watch({.debounce = milliseconds{1}, .poll = milliseconds{5}}, path);
  std::ofstream{path, std::ios::app} << "beyond";
  run_turns(loop, 20);
  EXPECT_EQ(changes, 0);
  write_file(path, "y" + large);
  EXPECT_TRUE(run_until(loop, [&] { return changes >= 1; }));
}

TEST_F(FileWatchTest, MayBeDestroyedFromItsCallback) {
  write_file(path, "one");
  auto made = watch_file(loop, path, kEventsOnly, [&] {
    ++changes;
    file_watch.reset();
  });
  ASSERT_TRUE(made.has_value()) << made.error().message;
  file_watch = *std::move(made);
  write_file(path, "two");
  expect_changes(1);
  write_file(path, "three");
  run_turns(loop, 20);
  EXPECT_EQ(changes, 1);
}

TEST_F(FileWatchTest, RefusesWhatNamesNoFile) {
  for (const std::string_view name : {"", "conf/"}) {
    const auto refused = watch_file(loop, std::string{name}, {}, [] {});
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().message, "\"" + std::string{name} + "\" names no file to watch");
  }
}

}  // namespace
}  // namespace sluice::net
