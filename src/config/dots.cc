#include "config/dots.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "config/document.h"

namespace sluice::config {
namespace {

/// Of UTF-8.
bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
}

/// Goes through a text once, knowing as much of TOML as tells dots that nest from others.
class DotScan {
 public:
  explicit DotScan(std::string_view text) : text_(text) {}

  std::optional<Fault> run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_string(c);
        continue;
      }
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      if (count(c)) {
        return Fault{place(), "more than " + std::to_string(kMaxDots) +
                                  " dots outside of strings in one statement; break it up"};
      }
      ++at_;
    }
    return std::nullopt;
  }

 private:
  /// Whether it is a dot too many.
  bool count(char c) {
    if (c == '[' || c == '{') ++open_;
    if ((c == ']' || c == '}') && open_ > 0) --open_;
    // A statement ends with its line, but within brackets it goes on.
    if (c == '\n' && open_ == 0) dots_ = 0;
    return c == '.' && ++dots_ > kMaxDots;
  }

  /// To behind its end; if it has none, to the end of its line, where the parser gives up.
  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool multiline = text_.substr(at_, three.size()) == three;
    const std::string_view end = std::string_view(three).substr(0, multiline ? 3 : 1);
    at_ += end.size();
    while (at_ < text_.size() && text_.substr(at_, end.size()) != end) {
      if (!multiline && text_[at_] == '\n') return;
      const bool escape = quote == '"' && text_[at_] == '\\';
      at_ += escape ? 2 : 1;
    }
    at_ = std::min(at_ + end.size(), text_.size());
    // Up to two quotes right before the end are of the string.
    for (int i = 0; multiline && i < 2 && at_ < text_.size() && text_[at_] == quote; ++i) ++at_;
  }

  [[nodiscard]] Place place() const {
    const std::string_view before = text_.substr(0, at_);
    const auto lines = static_cast<std::size_t>(std::ranges::count(before, '\n'));
    const std::string_view line = before.substr(before.rfind('\n') + 1);  // from 0 on the first line
    const auto characters = static_cast<std::size_t>(std::ranges::count_if(line, begins_character));
    return {lines + 1, characters + 1};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t open_ = 0;  ///< brackets
  std::size_t dots_ = 0;  ///< of the statement
};

}  // namespace

std::optional<Fault> find_too_many_dots(std::string_view text) {
  return DotScan(text).run();
}

}  // namespace sluice::config
