#include "daemon/process_facts.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <optional>

namespace sluice::daemon {
namespace {

double seconds(const timeval& time) {
  constexpr double kMicros = 1e6;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / kMicros;
}

std::optional<std::uint64_t> resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  if (!(statm >> total >> resident)) return std::nullopt;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::optional<std::uint64_t> open_descriptors() {
  struct stat info{};
  if (stat("/proc/self/fd", &info) != 0 || info.st_size <= 0) return std::nullopt;
  return static_cast<std::uint64_t>(info.st_size);
}

}  // namespace

ProcessFacts process_facts() {
  ProcessFacts facts;
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0)
    facts.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  facts.resident_bytes = resident_bytes();
  facts.open_descriptors = open_descriptors();
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) facts.max_descriptors = limit.rlim_cur;
  return facts;
}

}  // namespace sluice::daemon
