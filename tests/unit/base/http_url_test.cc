// Aim: a URL is read into what a client needs, and refused with a sentence that does not show its path.
//
// Method: tables of texts.
#include "base/http_url.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace sluice {
namespace {

HttpUrl url(bool tls, const std::string& name, std::uint16_t port, const std::string& host,
            const std::string& target) {
  return {.tls = tls, .endpoint = {.host = name, .port = port}, .host = host, .target = target};
}

TEST(HttpUrlTest, ReadsAndWrites) {
  const std::vector<std::pair<std::string, HttpUrl>> cases = {
      {"http://alerts/", url(false, "alerts", 80, "alerts", "/")},
      {"http://alerts:9000/a/b?c=d&e=/", url(false, "alerts", 9000, "alerts:9000", "/a/b?c=d&e=/")},
      {"https://hooks.example/T0/B1", url(true, "hooks.example", 443, "hooks.example", "/T0/B1")},
      {"https://hooks.example:80/", url(true, "hooks.example", 80, "hooks.example:80", "/")},
      {"http://[::1]/x", url(false, "::1", 80, "[::1]", "/x")},
      {"http://[::1]:8080/x", url(false, "::1", 8080, "[::1]:8080", "/x")},
      {"http://10.0.0.7:81/a@b:c", url(false, "10.0.0.7", 81, "10.0.0.7:81", "/a@b:c")},
  };
  for (const auto& [text, want] : cases) {
    const auto read = HttpUrl::parse(text);
    ASSERT_TRUE(read.has_value()) << text << ": " << read.error().message;
    EXPECT_EQ(*read, want) << text;
    EXPECT_EQ(read->text(), text);
  }
}

TEST(HttpUrlTest, CompletesWhatIsShort) {
  EXPECT_EQ(HttpUrl::parse("HTTP://a")->text(), "http://a/");
  EXPECT_EQ(HttpUrl::parse("Https://a:443")->text(), "https://a/");
  EXPECT_EQ(HttpUrl::parse("http://a?b")->text(), "http://a/?b");
}

TEST(HttpUrlTest, SaysWhatWouldBeRight) {
  const std::string scheme = "must begin with http:// or https://";
  const auto host = [](const std::string& name) {
    return "must name its host as in http://alerts:9000/ or http://[::1]:9000/, not \"" + name + "\"";
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", scheme},
      {"alerts:9000/", scheme},
      {"ftp://a/", scheme},
      {"http:/a/", scheme},
      {"http://", host("")},
      {"http:///run/alerts.sock", host("")},
      {"http://a:/", host("a:")},
      {"http://a:0/", host("a:0")},
      {"http://a:65536/", host("a:65536")},
      {"http://a:9:9/", host("a:9:9")},
      {"http://::1/", host("::1")},
      {"http://[::1/", host("[::1")},
      {"http://[a]/", host("[a]")},
      {"http://300.0.0.1/", host("300.0.0.1")},
      {"http://me:secret@a/", "must not have a user and password before its host"},
      {"http://a/#b", "must not have a fragment (#…)"},
      {"http://a/ b", "must be visible ASCII; write other bytes as %NN"},
      {"http://a/\r\nX: y", "must be visible ASCII; write other bytes as %NN"},
      {"http://a/\xc3\xa9", "must be visible ASCII; write other bytes as %NN"},
      {"http://a/" + std::string(2040, 'x'), "must have at most 2048 bytes"},
  };
  for (const auto& [text, message] : cases) {
    const auto read = HttpUrl::parse(text);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_EQ(read.error().message, message) << text;
  }
}

TEST(HttpUrlTest, ErrorsKeepThePathToThemselves) {
  EXPECT_FALSE(HttpUrl::parse("http://a:0/secret").error().message.contains("secret"));
  EXPECT_FALSE(HttpUrl::parse("http://u:secret@a/").error().message.contains("secret"));
}

}  // namespace
}  // namespace sluice
