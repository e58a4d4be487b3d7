#include "ctl/screen.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::ctl {
namespace {

bool begins_character(char c) {
  constexpr unsigned kMask = 0xC0;
  constexpr unsigned kContinuation = 0x80;
  return (static_cast<unsigned char>(c) & kMask) != kContinuation;
}

/// The first `count` characters.
std::string_view first_characters(std::string_view text, std::size_t count) {
  std::size_t seen = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (begins_character(text[at]) && seen++ == count) return text.substr(0, at);
  }
  return text;
}

/// By weight and by place in the palette, so that a terminal's own theme decides what they look like.
std::string_view code_of(Style style) {
  switch (style) {
    case Style::plain:
      break;
    case Style::strong:
      return "\x1b[1m";
    case Style::quiet:
      return "\x1b[2m";
    case Style::accent:
      return "\x1b[34m";
    case Style::denied:
      return "\x1b[1;31m";
    case Style::degraded:
      return "\x1b[33m";
  }
  return "";
}

}  // namespace

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

Line& Line::add(std::string_view text, Style style) {
  pieces_.push_back({.text = std::string(text), .style = style});
  width_ += characters(text);
  return *this;
}

Line& Line::left(std::string_view text, std::size_t width, Style style) {
  const std::string_view cut = first_characters(text, width);
  add(cut, style);
  return add(std::string(width - characters(cut), ' '));
}

Line& Line::right(std::string_view text, std::size_t width, Style style) {
  const std::string_view cut = first_characters(text, width);
  add(std::string(width - characters(cut), ' '));
  return add(cut, style);
}

Line& Line::go_to(std::size_t column) {
  return column > width_ ? add(std::string(column - width_, ' ')) : *this;
}

std::string Line::text(const ScreenForm& form) const {
  std::string out;
  std::size_t room = form.columns;
  for (const Piece& piece : pieces_) {
    const std::string_view shown = first_characters(piece.text, room);
    room -= characters(shown);
    const std::string_view code = form.colour == Colour::on ? code_of(piece.style) : "";
    if (shown.empty()) continue;
    out.append(code).append(shown).append(code.empty() ? "" : "\x1b[0m");
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

std::string bar(double share, std::size_t width, Charset charset) {
  const double clamped = std::clamp(share, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(std::lround(clamped * static_cast<double>(width)));
  std::string out;
  for (std::size_t i = 0; i < width; ++i) {
    if (charset == Charset::ascii) {
      out += i < filled ? '#' : '.';
    } else {
      out += i < filled ? "█" : "░";
    }
  }
  return out;
}

std::string sparkline(const std::vector<double>& values, double top, std::size_t width, Charset charset) {
  constexpr std::array<std::string_view, 9> kBlocks{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr std::array<std::string_view, 5> kMarks{" ", ".", ":", "|", "#"};
  const std::size_t shown = std::min(width, values.size());
  std::string out(width - shown, ' ');
  for (std::size_t at = values.size() - shown; at < values.size(); ++at) {
    const double share = top > 0 ? std::clamp(values[at] / top, 0.0, 1.0) : 0.0;
    const auto step = [share](std::size_t steps) {  // what is not nothing is seen
      return static_cast<std::size_t>(std::ceil(share * static_cast<double>(steps - 1)));
    };
    out += charset == Charset::ascii ? kMarks.at(step(kMarks.size())) : kBlocks.at(step(kBlocks.size()));
  }
  return out;
}

}  // namespace sluice::ctl
