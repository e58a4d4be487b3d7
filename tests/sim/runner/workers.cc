#include "sim/runner/workers.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "sim/runner/summary.h"
#include "sim/world/world.h"

namespace sluice::sim {
namespace {

/// Seeds that one process runs, one after another: starting it costs more than running one.
constexpr std::size_t kBatch = 16;
constexpr std::string_view kEnd = "end\n";

/// One process at work on a batch. What it writes: for each seed the outcome's lines and a line "end".
struct Worker {
  pid_t pid = 0;
  int pipe = -1;
  std::vector<std::uint64_t> batch{};
  std::size_t finished = 0;
  std::string buffer{};
};

void write_all(int to, const std::string& bytes) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t count = write(to, bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) std::_Exit(1);
    written += static_cast<std::size_t>(count);
  }
}

Worker begin(std::vector<std::uint64_t> batch) {
  std::array<int, 2> ends{};
  SLUICE_ASSERT(pipe(ends.data()) == 0);
  const pid_t pid = fork();
  SLUICE_ASSERT(pid >= 0);
  if (pid == 0) {
    close(ends[0]);
    for (const std::uint64_t seed : batch) write_all(ends[1], encode(run_twice(seed)) + std::string(kEnd));
    std::_Exit(0);
  }
  close(ends[1]);
  return {.pid = pid, .pipe = ends[0], .batch = std::move(batch)};
}

class Pool {
 public:
  Pool(const std::vector<std::uint64_t>& seeds, std::size_t jobs, std::size_t stop_after,
       const std::function<void(const Progress&)>& told)
      : seeds_(seeds), jobs_(jobs), stop_after_(stop_after), told_(told) {}

  Summary run() {
    while (true) {
      while (workers_.size() < jobs_ && next_ < seeds_.size() && !enough()) start_next();
      if (workers_.empty()) return std::move(summary_);
      wait();
    }
  }

 private:
  [[nodiscard]] bool enough() const { return summary_.failures().size() >= stop_after_; }

  void start_next() {
    const std::size_t end = std::min(seeds_.size(), next_ + kBatch);
    workers_.push_back(begin({seeds_.begin() + static_cast<std::ptrdiff_t>(next_),
                              seeds_.begin() + static_cast<std::ptrdiff_t>(end)}));
    next_ = end;
  }

  void wait() {
    std::vector<pollfd> polled;
    for (const Worker& worker : workers_)
      polled.push_back({.fd = worker.pipe, .events = POLLIN, .revents = 0});
    if (poll(polled.data(), polled.size(), -1) < 0) return;
    for (std::size_t i = polled.size(); i-- > 0;) {
      if (polled[i].revents != 0) read_from(i);
    }
  }

  void read_from(std::size_t index) {
    Worker& worker = workers_[index];
    std::array<char, 65536> bytes{};
    const ssize_t count = read(worker.pipe, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) return;
    if (count > 0) {
      worker.buffer.append(bytes.data(), static_cast<std::size_t>(count));
      return take_outcomes(worker);
    }
    close(worker.pipe);
    int status = 0;
    waitpid(worker.pid, &status, 0);
    Worker ended = std::move(worker);
    workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(index));
    if (ended.finished < ended.batch.size()) died(std::move(ended), status);
  }

  void take_outcomes(Worker& worker) {
    std::size_t end = 0;
    while ((end = worker.buffer.find("\n" + std::string(kEnd))) != std::string::npos) {
      summary_.add(decode(worker.buffer.substr(0, end + 1)));
      worker.buffer.erase(0, end + 1 + kEnd.size());
      ++worker.finished;
      told_({.done = summary_.seeds(), .failed = summary_.failures().size()});
    }
  }

  /// Of the seed that it was at; another process goes on with what is left.
  void died(Worker worker, int status) {
    const std::uint64_t seed = worker.batch[worker.finished];
    const std::string how = WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                                                : fmt::format("status {}", WEXITSTATUS(status));
    summary_.add_failure({.seed = seed, .what = {"the process that ran it died of " + how}});
    worker.batch.erase(worker.batch.begin(),
                       worker.batch.begin() + static_cast<std::ptrdiff_t>(worker.finished + 1));
    if (!worker.batch.empty() && !enough()) workers_.push_back(begin(std::move(worker.batch)));
  }

  const std::vector<std::uint64_t>& seeds_;
  std::size_t jobs_;
  std::size_t stop_after_;
  const std::function<void(const Progress&)>& told_;
  std::size_t next_ = 0;
  std::vector<Worker> workers_;
  Summary summary_;
};

}  // namespace

Summary run_seeds(const std::vector<std::uint64_t>& seeds, std::size_t jobs, std::size_t stop_after,
                  const std::function<void(const Progress&)>& told) {
  return Pool(seeds, jobs, stop_after, told).run();
}

}  // namespace sluice::sim
