#include "observe/exposition.h"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "base/histogram.h"

namespace sluice::observe {
namespace {

constexpr std::string_view kTotal = "_total";

/// Help has no quotes around it, but OpenMetrics escapes them there, too.
void append_escaped(std::string& out, std::string_view text, bool quotes) {
  for (const char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '"' && quotes) {
      out += "\\\"";
    } else {
      out += c;
    }
  }
}

}  // namespace

std::string float_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

void Exposition::family(std::string_view name, Type type, std::string_view help) {
  constexpr std::array<std::string_view, 3> kTypes{"counter", "gauge", "histogram"};
  SLUICE_ASSERT((type == Type::counter) == name.ends_with(kTotal));
  name_ = name;
  std::string_view shown = name;
  // There a counter's family has the name without the suffix.
  const bool open = format_ == Format::openmetrics;
  if (open && type == Type::counter) shown.remove_suffix(kTotal.size());
  out_.append("# HELP ").append(shown).append(" ");
  append_escaped(out_, help, open);
  out_.append("\n# TYPE ").append(shown).append(" ");
  out_.append(kTypes.at(static_cast<std::size_t>(type))).append("\n");
}

void Exposition::begin_line(std::string_view suffix, Labels labels, std::string_view le) {
  out_.append(name_).append(suffix);
  char before = '{';
  const auto add = [&](std::string_view name, std::string_view value) {
    out_ += before;
    before = ',';
    out_.append(name).append("=\"");
    append_escaped(out_, value, true);
    out_ += '"';
  };
  for (const Label& label : labels) add(label.name, label.value);
  if (!le.empty()) add("le", le);
  if (before == ',') out_ += '}';
  out_ += ' ';
}

void Exposition::sample(Labels labels, std::uint64_t value) {
  begin_line({}, labels);
  out_.append(std::to_string(value)).append("\n");
}

void Exposition::sample(Labels labels, double value) {
  begin_line({}, labels);
  out_.append(float_text(value)).append("\n");
}

void Exposition::sample(Labels labels, const HistogramView& histogram, double units_per) {
  std::uint64_t so_far = 0;
  for (std::size_t i = 0; i < histogram.bounds.size(); ++i) {
    so_far += histogram.counts[i];
    begin_line("_bucket", labels, float_text(static_cast<double>(histogram.bounds[i]) / units_per));
    out_.append(std::to_string(so_far)).append("\n");
  }
  begin_line("_bucket", labels, "+Inf");
  out_.append(std::to_string(histogram.count)).append("\n");
  begin_line("_sum", labels);
  out_.append(float_text(static_cast<double>(histogram.sum) / units_per)).append("\n");
  begin_line("_count", labels);
  out_.append(std::to_string(histogram.count)).append("\n");
}

void Exposition::finish() {
  if (format_ == Format::openmetrics) out_ += "# EOF\n";
}

}  // namespace sluice::observe
