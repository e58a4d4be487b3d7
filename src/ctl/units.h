// Numbers as an operator reads them at a glance. Nothing is a dash.
#pragma once

#include <optional>
#include <string>

namespace sluice::ctl {

using Number = std::optional<double>;

/// "4,821,193"; from ten million on "48.2M".
[[nodiscard]] std::string count_text(Number value);
/// "4.2" below ten, else as a count.
[[nodiscard]] std::string rate_text(Number value);
/// "0.7 %", "62 %", "99.74 %": a share near nothing or near all has more digits.
[[nodiscard]] std::string percent_text(Number share);
/// "41 us", "2.35 ms", "1.20 s".
[[nodiscard]] std::string micros_text(Number us);
/// "25 h", "90 s".
[[nodiscard]] std::string span_text(Number seconds);
/// "03:20:07", in local time.
[[nodiscard]] std::string clock_text(Number unix_ms);

}  // namespace sluice::ctl
