// Why a request is refused, and how the resumable scans of this folder report.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>

namespace sluice::wire::http1 {

/// A request that cannot be read. `message` is for the client: one printable line.
struct Fault {
  int status = 400;
  std::string message;
};

[[nodiscard]] inline std::unexpected<Fault> refuse(int status, std::string message) {
  return std::unexpected(Fault{.status = status, .message = std::move(message)});
}

enum class Progress : std::uint8_t {
  done,
  more,  ///< the bytes so far are in order, and there must be others
};

using Scanned = std::expected<Progress, Fault>;

}  // namespace sluice::wire::http1
