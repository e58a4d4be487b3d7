// The patterns that a rule, an override or a bypass gives for one descriptor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/address.h"
#include "base/hash.h"
#include "base/result.h"
#include "rules/glob.h"
#include "rules/request.h"
#include "rules/spec.h"
#include "rules/text_hash.h"

namespace sluice::rules {

/// "*": whatever the value is.
struct AnyValue {};

/// A pattern that is more than one exact value.
struct Pattern {
  std::string written;
  std::variant<AnyValue, Glob, Cidr, Sha256> test;

  [[nodiscard]] bool matches(const Value& value) const;
};

/// Any of its patterns suffices. Exact ones are a table, so that a list of thousands costs one look-up.
class DescriptorMatcher {
 public:
  /// Refuses an empty list and malformed patterns; of a secret the error shows nothing.
  [[nodiscard]] static Result<DescriptorMatcher> compile(const MatchSpec& spec, ValueKind kind);

  /// Which pattern matched: null stands for an exact one.
  struct Hit {
    const Pattern* pattern = nullptr;
  };

  [[nodiscard]] const std::string& descriptor() const { return descriptor_; }
  [[nodiscard]] std::optional<Hit> find(const Value& value) const;

  /// All exact values, as Value::exact_form gives them, when there is no other pattern; else nothing.
  [[nodiscard]] const TextSet* exact_values() const { return patterns_.empty() ? &exact_ : nullptr; }
  /// It has a sha256 pattern, so values must not be shown.
  [[nodiscard]] bool is_secret() const { return is_secret_; }
  /// As configured, for explanations.
  [[nodiscard]] std::span<const std::string> written() const { return written_; }

 private:
  DescriptorMatcher() = default;
  [[nodiscard]] std::optional<Error> add_text(std::string_view written);
  [[nodiscard]] std::optional<Error> add_address(std::string_view written);
  [[nodiscard]] std::optional<Error> add_secret(std::string_view hex);
  void add_exact(std::string_view form);

  std::string descriptor_;
  TextSet exact_;
  std::size_t longest_exact_ = 0;  ///< longer values need not be hashed
  std::vector<Pattern> patterns_;
  bool is_secret_ = false;
  std::vector<std::string> written_;
};

}  // namespace sluice::rules
