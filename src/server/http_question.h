// What an HTTP request asks: descriptors and a cost, from a query or from JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::server {

/// Most checks of one batch.
inline constexpr std::size_t kMaxBatch = 100;

struct Question {
  std::vector<std::pair<std::string, std::string>> descriptors;
  std::int64_t cost = 1;
};

/// "user=123&cost=2": `cost` is the cost, everything else a descriptor. The error is for the client.
[[nodiscard]] std::expected<Question, std::string> question_of_query(std::string_view query);

/// {"descriptors": {"user": "123"}, "cost": 2}; values are strings or integers. Or a batch, where that is
/// allowed:
/// {"checks": [ … ]} of 1 to kMaxBatch such objects.
struct Body {
  std::vector<Question> questions;
  bool batch = false;
};
[[nodiscard]] std::expected<Body, std::string> questions_of_body(std::string_view text);

}  // namespace sluice::server
