// Aim: metrics are written as both formats demand. Method: small families against texts by hand. That
// Prometheus takes the whole is tested with the daemon.
#include "observe/exposition.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include "base/histogram.h"

namespace sluice::observe {
namespace {

using Format = Exposition::Format;
using Type = Exposition::Type;

constexpr std::array<std::int64_t, 2> kBounds = {500, 2000};

TEST(Exposition, WritesCountersByEachFormatsRule) {
  std::string text;
  Exposition exposition(text, Format::text);
  exposition.family("a_total", Type::counter, "As.");
  exposition.sample({{.name = "rule", .value = "r"}, {.name = "outcome", .value = "allowed"}},
                    std::uint64_t{7});
  exposition.single("b", Type::gauge, "Bs.", 0.5);
  exposition.finish();
  EXPECT_EQ(text,
            "# HELP a_total As.\n# TYPE a_total counter\na_total{rule=\"r\",outcome=\"allowed\"} 7\n"
            "# HELP b Bs.\n# TYPE b gauge\nb 0.5\n");
  std::string open;
  Exposition other(open, Format::openmetrics);
  other.family("a_total", Type::counter, "As.");
  other.sample({}, std::numeric_limits<std::uint64_t>::max());
  other.finish();
  EXPECT_EQ(open, "# HELP a As.\n# TYPE a counter\na_total 18446744073709551615\n# EOF\n");
}

TEST(Exposition, EscapesWhatMayHoldAnything) {
  std::string text;
  Exposition exposition(text, Format::text);
  exposition.family("a", Type::gauge, "a \"b\" \\ c\nd");
  exposition.sample({{.name = "l", .value = "a \"b\" \\ c\nd"}}, 1.0);
  EXPECT_EQ(text, "# HELP a a \"b\" \\\\ c\\nd\n# TYPE a gauge\na{l=\"a \\\"b\\\" \\\\ c\\nd\"} 1.0\n");
  std::string open;
  Exposition(open, Format::openmetrics).family("a", Type::gauge, "\"");
  EXPECT_EQ(open, "# HELP a \\\"\n# TYPE a gauge\n");
}

TEST(Exposition, AddsUpTheBucketsOfHistograms) {
  Histogram<kBounds> histogram;
  for (const std::int64_t value : {1, 500, 501, 9000}) histogram.record(value);
  std::string text;
  Exposition exposition(text, Format::text);
  exposition.family("h_seconds", Type::histogram, "Hs.");
  exposition.sample({{.name = "s", .value = "x"}}, histogram.view(), 1000);
  EXPECT_EQ(text,
            "# HELP h_seconds Hs.\n# TYPE h_seconds histogram\n"
            "h_seconds_bucket{s=\"x\",le=\"0.5\"} 2\nh_seconds_bucket{s=\"x\",le=\"2.0\"} 3\n"
            "h_seconds_bucket{s=\"x\",le=\"+Inf\"} 4\nh_seconds_sum{s=\"x\"} 10.002\n"
            "h_seconds_count{s=\"x\"} 4\n");
}

TEST(FloatText, IsWhatPrometheusReads) {
  EXPECT_EQ(float_text(0), "0.0");
  EXPECT_EQ(float_text(0.00001), "1e-05");
  EXPECT_EQ(float_text(86400), "86400.0");
  EXPECT_EQ(float_text(std::numeric_limits<double>::infinity()), "+Inf");
  EXPECT_EQ(float_text(-std::numeric_limits<double>::infinity()), "-Inf");
  EXPECT_EQ(float_text(std::numeric_limits<double>::quiet_NaN()), "NaN");
}

}  // namespace
}  // namespace sluice::observe
