#include "net/posix.h"

#include <unistd.h>

#include <string>
#include <system_error>
#include <utility>

namespace sluice::net {

void Fd::reset(int fd) {
  const int old = std::exchange(fd_, fd);
  // Linux has released the descriptor whatever close() returns: there is nothing to retry.
  if (old >= 0) ::close(old);
}

std::string error_text(int error_number) {
  return std::generic_category().message(error_number);
}

}  // namespace sluice::net
