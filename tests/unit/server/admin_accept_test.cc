// Aim: clients get the format they like best of those they can read. Method: real Accept values and hostile
// ones, in a table.
#include "server/admin/accept.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/admin/admin_source.h"

namespace sluice::server {
namespace {

TEST(Accept, TheMostSpecificRangeDecides) {
  struct Case {
    std::string_view accept;
    int quality;
  };
  const std::vector<Case> cases{
      {"", 1000},
      {"  ", 1000},
      {"text/plain", 1000},
      {"TEXT/Plain", 1000},
      {"text/*", 1000},
      {"*/*", 1000},
      {"text/html", 0},
      {"application/*", 0},
      {"text/plain;q=0.5", 500},
      {"text/plain ; q=0.125", 125},
      {"text/plain;q=0", 0},
      {"text/plain;q=1.000", 1000},
      {"text/plain;q=0, */*", 0},
      {"*/*;q=0.1, text/plain;q=0.2, text/*;q=0.9", 200},
      {"text/*;q=0.3, */*;q=0.9", 300},
      {"text/plain;version=0.0.4;q=0.4, text/plain;q=0.9", 400},
      {"text/plain;version=1.0.0", 0},
      {"text/plain;version=1.0.0, */*;q=0.1", 100},
      {"text/plain;charset=utf-8;q=0.7", 700},
      // What cannot be read says nothing.
      {"text/plain;q=2", 0},
      {"text/plain;q=1.001", 0},
      {"text/plain;q=0.1234", 0},
      {"text/plain;q=", 0},
      {"text/plain;q=-1", 0},
      {",,;;=,/,", 0},
      {"text/", 0},
      {"/*", 0},
      {", ,text/plain", 1000},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(quality_of(each.accept, {.type = "text/plain", .version = "0.0.4"}), each.quality)
        << each.accept;
  }
}

TEST(Accept, AnOfferWithoutVersionTakesAny) {
  EXPECT_EQ(quality_of("application/json;version=7", {.type = "application/json"}), 1000);
}

TEST(Accept, AHugeValueIsReadInOneGo) {
  std::string accept;
  for (int i = 0; i < 4000; ++i) accept += "a/b;";
  EXPECT_EQ(quality_of(accept, {.type = "text/plain"}), 0);
}

TEST(MetricsFormat, IsOpenMetricsOnlyForWhoPrefersIt) {
  // As Prometheus 2 and 3 ask.
  EXPECT_EQ(metrics_format("application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;"
                           "version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"),
            MetricsFormat::openmetrics);
  EXPECT_EQ(
      metrics_format("application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;"
                     "version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"),
      MetricsFormat::openmetrics);
  EXPECT_EQ(metrics_format("text/plain;version=0.0.4;q=1,*/*;q=0.1"), MetricsFormat::text);
  EXPECT_EQ(metrics_format("application/openmetrics-text; version=0.0.1"), std::nullopt);
  EXPECT_EQ(metrics_format("application/openmetrics-text"), MetricsFormat::openmetrics);
  EXPECT_EQ(metrics_format("application/openmetrics-text, text/plain"), MetricsFormat::text);
  EXPECT_EQ(metrics_format("text/html,application/xml;q=0.9,*/*;q=0.8"), MetricsFormat::text);
  EXPECT_EQ(metrics_format("*/*"), MetricsFormat::text);
  EXPECT_EQ(metrics_format(""), MetricsFormat::text);
  EXPECT_EQ(metrics_format("application/json"), std::nullopt);
}

}  // namespace
}  // namespace sluice::server
