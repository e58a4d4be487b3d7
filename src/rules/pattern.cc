#include "rules/pattern.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/address.h"
#include "base/hash.h"
#include "base/result.h"
#include "base/text.h"
#include "rules/glob.h"
#include "rules/request.h"
#include "rules/spec.h"

namespace sluice::rules {
namespace {

constexpr std::string_view kSecretPrefix = "sha256:";

struct Tester {
  const Value& value;

  bool operator()(AnyValue /*any*/) const { return true; }
  bool operator()(const Glob& glob) const { return glob.matches(value.text()); }
  bool operator()(const Cidr& cidr) const {
    const Address* address = value.address();
    return address != nullptr && cidr.contains(*address);
  }
  bool operator()(const Sha256& digest) const { return equal_in_constant_time(digest, value.digest()); }
};

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10U;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10U;
  return std::nullopt;
}

std::optional<Sha256> parse_digest(std::string_view hex) {
  Sha256 digest{};
  if (hex.size() != digest.size() * 2) return std::nullopt;
  for (std::size_t i = 0; i < digest.size(); ++i) {
    const auto high = hex_digit(hex[2 * i]);
    const auto low = hex_digit(hex[2 * i + 1]);
    if (!high || !low) return std::nullopt;
    digest[i] = static_cast<unsigned char>((*high << 4U) | *low);
  }
  return digest;
}

}  // namespace

bool Pattern::matches(const Value& value) const {
  return std::visit(Tester{value}, test);
}

Result<DescriptorMatcher> DescriptorMatcher::compile(const MatchSpec& spec, ValueKind kind) {
  if (spec.patterns.empty())
    return failure("the list of patterns is empty, so nothing could match; \"*\" matches all");
  DescriptorMatcher matcher;
  matcher.descriptor_ = spec.descriptor;
  matcher.written_ = spec.patterns;
  for (const std::string& written : spec.patterns) {
    auto error = kind == ValueKind::address ? matcher.add_address(written) : matcher.add_text(written);
    if (error) return std::unexpected(std::move(*error));
  }
  return matcher;
}

std::optional<DescriptorMatcher::Hit> DescriptorMatcher::find(const Value& value) const {
  const auto form = value.exact_form();
  if (form && form->size() <= longest_exact_ && exact_.contains(*form)) return Hit{};
  const auto found =
      std::ranges::find_if(patterns_, [&](const Pattern& pattern) { return pattern.matches(value); });
  if (found == patterns_.end()) return std::nullopt;
  return Hit{&*found};
}

std::optional<Error> DescriptorMatcher::add_text(std::string_view written) {
  if (written.starts_with(kSecretPrefix)) return add_secret(written.substr(kSecretPrefix.size()));
  if (written == "*") {
    patterns_.push_back({std::string(written), AnyValue{}});
    return std::nullopt;
  }
  auto glob = Glob::parse(written);
  if (!glob) return std::move(glob.error());
  if (const auto literal = glob->literal()) {
    add_exact(*literal);
  } else {
    patterns_.push_back({std::string(written), std::move(*glob)});
  }
  return std::nullopt;
}

std::optional<Error> DescriptorMatcher::add_address(std::string_view written) {
  if (written == "*") {
    patterns_.push_back({std::string(written), AnyValue{}});
    return std::nullopt;
  }
  if (written.find_first_of("*?") != std::string_view::npos) {
    return Error{fmt::format(
        "addresses match by their bits, not as text: instead of \"{}\" write a CIDR block such as "
        "10.0.0.0/8, or \"*\" for all",
        printable(written))};
  }
  auto cidr = parse_cidr(written);
  if (!cidr) return std::move(cidr.error());
  if (cidr->is_single()) {
    add_exact(cidr->network.form());
  } else {
    patterns_.push_back({std::string(written), *cidr});
  }
  return std::nullopt;
}

std::optional<Error> DescriptorMatcher::add_secret(std::string_view hex) {
  const auto digest = parse_digest(hex);
  if (!digest) {
    return Error{
        fmt::format("\"{}\" must be followed by the 64 hexadecimal digits of a SHA-256, not by {} bytes of "
                    "something else; to match such a text itself, write \"\\\\{}…\"",
                    kSecretPrefix, hex.size(), kSecretPrefix)};
  }
  is_secret_ = true;
  patterns_.push_back({std::string(kSecretPrefix).append(hex), *digest});
  return std::nullopt;
}

void DescriptorMatcher::add_exact(std::string_view form) {
  exact_.emplace(form);
  longest_exact_ = std::max(longest_exact_, form.size());
}

}  // namespace sluice::rules
