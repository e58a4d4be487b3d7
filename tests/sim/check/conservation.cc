#include "sim/check/conservation.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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

TokenBooks& TokenBooks::operator+=(const TokenBooks& other) {
  granted += other.granted;
  for (const Entry& entry : kWhereabouts) this->*entry.tokens += other.*entry.tokens;
  return *this;
}

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

std::optional<std::string> first_imbalance(std::span<const DaemonBooks> all) {
  std::optional<std::string> first;
  std::size_t others = 0;
  for (const DaemonBooks& one : all) {
    const std::optional<std::string> wrong = imbalance(one.books);
    if (!wrong) continue;
    if (first) {
      ++others;
    } else {
      first = one.daemon + ", key " + one.key + ": " + *wrong;
    }
  }
  if (first && others > 0) *first += " (and " + std::to_string(others) + " more)";
  return first;
}

TokenBooks sum_of(std::span<const DaemonBooks> all) {
  TokenBooks sum;
  for (const DaemonBooks& one : all) sum += one.books;
  return sum;
}

TokenBooks sum_of_key(std::span<const DaemonBooks> all, const std::string& key) {
  TokenBooks sum;
  for (const DaemonBooks& one : all) {
    if (one.key == key) sum += one.books;
  }
  return sum;
}

}  // namespace sluice::sim
