#include "server/admin/accept.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "server/admin/admin_source.h"

namespace sluice::server {
namespace {

constexpr int kMaxQuality = 1000;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// Cuts off and returns what is before the first `mark`, or all. No quoted strings: no type on offer needs
/// one.
std::string_view next_part(std::string_view& rest, char mark) {
  const std::size_t end = rest.find(mark);
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return trimmed(part);
}

/// "0.25" is 250, "1" and "1.000" are 1000.
std::optional<int> parse_quality(std::string_view text) {
  constexpr std::size_t kMaxDigits = 3;
  if (text.empty() || (text[0] != '0' && text[0] != '1')) return std::nullopt;
  int quality = text[0] == '1' ? kMaxQuality : 0;
  if (text.size() == 1) return quality;
  if (text[1] != '.' || text.size() > 2 + kMaxDigits) return std::nullopt;
  int weight = kMaxQuality / 10;
  for (const char c : text.substr(2)) {
    if (c < '0' || c > '9') return std::nullopt;
    quality += (c - '0') * weight;
    weight /= 10;
  }
  if (quality > kMaxQuality) return std::nullopt;
  return quality;
}

/// How well one range of Accept describes an offer.
struct Fit {
  int specificity = 0;  ///< of "*/*" 1, of "text/*" 2, of the type 3, with its version 4; 0: it does not
  int quality = kMaxQuality;

  auto operator<=>(const Fit&) const = default;
};

int specificity_of(std::string_view range, std::string_view type) {
  if (range == "*/*") return 1;
  if (range.ends_with("/*")) {
    return equals_ignoring_case(range.substr(0, range.size() - 1), type.substr(0, type.find('/') + 1)) ? 2
                                                                                                       : 0;
  }
  return equals_ignoring_case(range, type) ? 3 : 0;
}

Fit fit_of(std::string_view range, const MediaType& offer) {
  Fit fit{.specificity = specificity_of(next_part(range, ';'), offer.type), .quality = kMaxQuality};
  if (fit.specificity == 0) return {};
  while (!range.empty()) {
    std::string_view value = next_part(range, ';');
    const std::string_view name = next_part(value, '=');
    if (equals_ignoring_case(name, "q")) {
      const auto quality = parse_quality(value);
      if (!quality) return {};
      fit.quality = *quality;
    } else if (equals_ignoring_case(name, "version") && !offer.version.empty()) {
      if (value != offer.version) return {};
      ++fit.specificity;
    }
  }
  return fit;
}

}  // namespace

int quality_of(std::string_view accept, const MediaType& offer) {
  if (trimmed(accept).empty()) return kMaxQuality;
  Fit best{};
  while (!accept.empty()) best = std::max(best, fit_of(next_part(accept, ','), offer));
  return best.specificity == 0 ? 0 : best.quality;
}

std::optional<MetricsFormat> metrics_format(std::string_view accept) {
  const int openmetrics = quality_of(accept, {.type = "application/openmetrics-text", .version = "1.0.0"});
  const int text = quality_of(accept, {.type = "text/plain", .version = "0.0.4"});
  if (openmetrics > text) return MetricsFormat::openmetrics;
  if (text > 0) return MetricsFormat::text;
  return std::nullopt;
}

}  // namespace sluice::server
