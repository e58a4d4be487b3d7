// The words of a limit → limiter::Limit.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "limiter/calendar.h"
#include "limiter/limit.h"
#include "rules/fault.h"

namespace sluice::rules {

/// The limit of a rule or of one of its overrides.
struct RuleLimit {
  std::string text;                     ///< as written
  std::optional<limiter::Limit> limit;  ///< nothing: unlimited
};

/// What a rule and an override say of a limit.
struct LimitWords {
  limiter::Algorithm algorithm{};
  std::string_view limit;
  std::optional<std::int64_t> burst;
  std::string_view timezone;
};

/// Faults are of the field "algorithm".
[[nodiscard]] std::expected<limiter::Algorithm, Fault> parse_algorithm(std::string_view name);

/// For one compilation: loads each time zone once, so that equal limits share it and compare equal.
class LimitCompiler {
 public:
  /// Faults are of the fields "limit", "burst" and "timezone". The zone is loaded only where a calendar unit
  /// needs it.
  [[nodiscard]] std::expected<RuleLimit, Fault> compile(const LimitWords& words);

 private:
  [[nodiscard]] std::expected<std::shared_ptr<const limiter::Calendar>, Fault> zone(std::string_view name);

  std::map<std::string, std::shared_ptr<const limiter::Calendar>, std::less<>> zones_;
};

}  // namespace sluice::rules
