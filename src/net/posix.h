// The little of POSIX that several files here need: descriptors that close themselves, and error texts.
#pragma once

#include <string>
#include <utility>

namespace sluice::net {

/// Owns a file descriptor; a negative one is "none".
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { reset(); }

  [[nodiscard]] int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  /// The caller closes it.
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

/// "No such file or directory" for ENOENT.
[[nodiscard]] std::string error_text(int error_number);

}  // namespace sluice::net
