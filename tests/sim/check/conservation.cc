#include "sim/check/conservation.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::sim {
namespace {

struct Entry {
  std::string_view name;
  std::int64_t TokenBooks::* tokens;
};

constexpr std::array kWhereabouts = {
    Entry{.name = "spent", .tokens = &TokenBooks::spent},
    Entry{.name = "returned", .tokens = &TokenBooks::returned},
    Entry{.name = "lapsed", .tokens = &TokenBooks::lapsed},
    Entry{.name = "lost", .tokens = &TokenBooks::lost},
    Entry{.name = "held", .tokens = &TokenBooks::held},
};

std::string with_number(std::string_view name, std::int64_t tokens) {
  return std::string(name) + " " + std::to_string(tokens);
}

}  // namespace

std::optional<std::string> imbalance(const TokenBooks& books) {
  if (books.granted < 0) return with_number("granted", books.granted) + ", which is negative";
  std::int64_t accounted = 0;
  std::string terms;
  for (const Entry& entry : kWhereabouts) {
    const std::int64_t tokens = books.*entry.tokens;
    if (tokens < 0) return with_number(entry.name, tokens) + ", which is negative";
    accounted += tokens;
    terms += (terms.empty() ? "" : " + ") + with_number(entry.name, tokens);
  }
  if (accounted == books.granted) return std::nullopt;
  const std::int64_t missing = books.granted - accounted;
  return with_number("granted", books.granted) + ", but " + terms + " = " + std::to_string(accounted) + ": " +
         (missing > 0 ? std::to_string(missing) + " missing" : std::to_string(-missing) + " too many");
}

std::optional<std::int64_t> Holdings::taken(const Holder& holder, std::int64_t tokens, std::int64_t since) {
  // The oldest that may be meant: whoever asks for later ones finds as many as any other choice would leave.
  auto& left = left_[holder];
  for (auto grant = left.lower_bound(since); grant != left.end() && tokens > 0;) {
    const std::int64_t some = std::min(tokens, grant->second);
    tokens -= some;
    grant->second -= some;
    grant = grant->second == 0 ? left.erase(grant) : std::next(grant);
  }
  return tokens > 0 ? std::optional(tokens) : std::nullopt;
}

}  // namespace sluice::sim
