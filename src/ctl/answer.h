// What sluicectl prints.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "rules/policy.h"
#include "wire/resp/reply_parser.h"

namespace sluice::ctl {

/// One decision of the daemon; names and units are those of the protocols.
struct Answer {
  bool allowed = false;
  std::int64_t limit = 0;
  std::int64_t remaining = 0;
  std::int64_t retry_after_ms = 0;
  std::int64_t reset_after_ms = 0;
  std::string rule;
  bool warning = false;
  bool degraded = false;
};

/// From the RESP3 map of CHECK, PEEK and REFUND.
[[nodiscard]] Result<Answer> read_answer(const wire::resp::Value& value);

/// `denied by per-user: 0 of 5 left, retry in 11.8 s, full in 1 min`.
[[nodiscard]] std::string for_people(const Answer& answer);
/// One line, field names as in the HTTP answers.
[[nodiscard]] std::string for_machines(const Answer& answer);

/// `config explain`.
[[nodiscard]] std::string for_people(const std::vector<rules::Explanation>& rules, bool bypassed);
[[nodiscard]] std::string for_machines(const std::vector<rules::Explanation>& rules, bool bypassed);

}  // namespace sluice::ctl
