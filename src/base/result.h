// Errors are values. An Error is one sentence for the person who can act on it.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace sluice {

/// What went wrong and what to do about it. Holds no secret and no raw key: it may reach a log.
struct Error {
  std::string message;
};

template <class T>
using Result = std::expected<T, Error>;

/// `return failure("…")` from any function that returns a Result.
[[nodiscard]] inline std::unexpected<Error> failure(std::string message) {
  return std::unexpected(Error{std::move(message)});
}

}  // namespace sluice
