// What the tests of net/ share: a loop that runs until something holds, clients on plain non-blocking sockets
// driven from that same loop, and ends of streams that write down what they are told.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/stream.h"
#include "base/time.h"
#include "net/posix.h"
#include "net/uv_loop.h"

namespace sluice::net {

/// How long anything may take before a test fails. Never waited for when things work.
inline constexpr Duration kPatience = std::chrono::seconds{60};

/// Runs the loop until `done`, asked every millisecond, returns true. False if patience ran out first.
[[nodiscard]] bool run_until(UvLoop& loop, const std::function<bool()>& done);

/// Runs the loop for so many of those questions, each after a wait for I/O: for what must *not* happen.
void run_turns(UvLoop& loop, int turns);

/// A directory of this test's own, removed with all that is in it.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string operator/(std::string_view name) const { return path_ + "/" + std::string{name}; }

 private:
  std::string path_;
};

void write_file(const std::string& path, std::string_view content);

/// The other end of a connection.
class Client {
 public:
  explicit Client(Fd socket) : socket_(std::move(socket)) {}

  /// As many of the bytes as go without waiting.
  std::size_t send_some(std::string_view bytes);
  /// What is there, at most `max` bytes, appended to `into`.
  void receive_some(std::string& into, std::size_t max = std::size_t{64} * 1024);
  void end_sending();
  void close() { socket_.reset(); }
  /// The peer sent its end, without an error.
  [[nodiscard]] bool saw_end() const { return saw_end_; }
  /// errno of the receive that failed, or 0.
  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] int fd() const { return socket_.get(); }

 private:
  Fd socket_;
  bool saw_end_ = false;
  int error_ = 0;
};

/// Connects to a listener's address(), a path or "127.0.0.1:port". `error` gets errno, 0 when it worked.
[[nodiscard]] Client connect_to(const std::string& address, int* error = nullptr);

/// Writes down what a stream says; each hook, if set, runs last in its call and may destroy the stream.
struct Recorder final : StreamEvents {
  std::string bytes;
  int ends = 0;
  int drains = 0;
  std::vector<std::string> closed;
  bool inside_a_call = false;  ///< set by a test around its calls into the stream
  int calls_inside = 0;
  std::function<void()> bytes_hook, end_hook, drained_hook, closed_hook;

  void on_bytes(std::string_view more) override;
  void on_end() override;
  void on_drained() override;
  void on_closed(std::string_view reason) override;

 private:
  void note(const std::function<void()>& hook);
};

/// Keeps the streams that a listener accepts, in order.
struct Collector final : ListenerEvents {
  std::vector<std::unique_ptr<ByteStream>> streams;
  std::function<void()> hook;
  void on_connection(std::unique_ptr<ByteStream> stream) override {
    streams.push_back(std::move(stream));
    if (hook) hook();
  }
};

/// Bytes in which a loss, a repeat or a swap shows.
[[nodiscard]] std::string pattern(std::size_t size);

}  // namespace sluice::net
