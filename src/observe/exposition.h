// Writes metrics as Prometheus reads them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/histogram.h"

namespace sluice::observe {

/// Appends families of samples to a text: name, type and help once, then each of its samples. Names and
/// labels are constants of the program and right by themselves; values of labels and help may hold anything.
class Exposition {
 public:
  enum class Format : std::uint8_t {
    text,         ///< Prometheus' text format, version 0.0.4
    openmetrics,  ///< OpenMetrics 1.0.0
  };
  enum class Type : std::uint8_t { counter, gauge, histogram };

  struct Label {
    std::string_view name;
    std::string_view value;
  };
  using Labels = std::initializer_list<Label>;

  /// `out` must outlive it.
  Exposition(std::string& out, Format format) : out_(out), format_(format) {}

  /// Begins a family, which must not have been begun before. A counter's name ends with "_total".
  void family(std::string_view name, Type type, std::string_view help);

  /// Of the family begun last, a counter or gauge.
  void sample(Labels labels, std::uint64_t value);
  void sample(Labels labels, double value);
  /// Of a histogram: bounds and sum are divided by `units_per`, which makes them base units.
  void sample(Labels labels, const HistogramView& histogram, double units_per);

  /// A family of one sample without labels.
  template <class Value>
  void single(std::string_view name, Type type, std::string_view help, Value value) {
    family(name, type, help);
    sample({}, value);
  }

  struct Single {
    std::string_view name;
    Type type;
    std::string_view help;
    std::uint64_t value;
  };
  void singles(std::initializer_list<Single> all) {
    for (const Single& one : all) single(one.name, one.type, one.help, one.value);
  }

  /// Once, after all families.
  void finish();

 private:
  void begin_line(std::string_view suffix, Labels labels, std::string_view le = {});

  std::string& out_;
  Format format_;
  std::string name_;  ///< of the family
};

/// A number as both formats have it: "0.25", "1.0", "+Inf", "NaN".
[[nodiscard]] std::string float_text(double value);

}  // namespace sluice::observe
