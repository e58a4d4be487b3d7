// Lines for a terminal: styled text, cut to its width.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::ctl {

enum class Style : std::uint8_t { plain, strong, quiet, accent, denied, degraded };
enum class Colour : std::uint8_t { off, on };
enum class Charset : std::uint8_t { ascii, utf8 };

/// What the terminal can show.
struct ScreenForm {
  std::size_t columns = 120;  ///< longer lines are cut
  std::size_t rows = 0;       ///< more lines are left out; 0: all are shown
  Colour colour = Colour::off;
  Charset charset = Charset::ascii;
};

/// One line. Text is measured in characters, each a column wide; what comes from elsewhere is made printable
/// before.
class Line {
 public:
  Line& add(std::string_view text, Style style = Style::plain);
  /// Cut, or filled with blanks on the right, to `width`.
  Line& left(std::string_view text, std::size_t width, Style style = Style::plain);
  /// Cut, or filled with blanks on the left, to `width`.
  Line& right(std::string_view text, std::size_t width, Style style = Style::plain);
  /// Blanks up to that column.
  Line& go_to(std::size_t column);

  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] std::string text(const ScreenForm& form) const;

 private:
  struct Piece {
    std::string text;
    Style style;
  };
  std::vector<Piece> pieces_;
  std::size_t width_ = 0;
};

/// How many characters UTF-8 text has.
[[nodiscard]] std::size_t characters(std::string_view text);

/// A bar of `width` characters, filled to `share` (0…1).
[[nodiscard]] std::string bar(double share, std::size_t width, Charset charset);

/// The last `width` values as a row of columns, the greatest `top` filling one.
[[nodiscard]] std::string sparkline(const std::vector<double>& values, double top, std::size_t width,
                                    Charset charset);

}  // namespace sluice::ctl
