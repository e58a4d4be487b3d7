// Aim: a good file arrives in Settings and Policy as written, an empty one as the defaults; files that cannot
// be read are problems. Method: whole files, field by field.
#include "config/load.h"

#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "config/table.h"
#include "everything.h"
#include "problems.h"
#include "rules/spec.h"

namespace sluice::config {
namespace {

using namespace std::chrono_literals;

TEST(Load, EverySetting) {
  EXPECT_EQ(problems(kEverything), Texts{});
  const auto config = load_text(kEverything, "sluice.toml");
  ASSERT_TRUE(config);
  const Settings& s = config->settings;
  EXPECT_EQ(s.server.socket, "/tmp/s.sock");
  EXPECT_EQ(s.server.socket_mode, 0600U);
  EXPECT_EQ(s.server.socket_gid, 12);
  EXPECT_EQ(s.server.tcp, "[::1]:7379");
  EXPECT_EQ(s.server.max_wait, 50ms);
  EXPECT_EQ(s.server.max_connections, 10);
  EXPECT_EQ(s.server.request_timeout, 1min);
  EXPECT_EQ(s.server.admin, "0.0.0.0:9464");
  EXPECT_TRUE(s.observe.show_keys);
  EXPECT_EQ(s.observe.top, 100);
  EXPECT_EQ(s.observe.denials_per_minute, 50);
  EXPECT_EQ(s.observe.webhook, "http://127.0.0.1:9000/hook");
  EXPECT_EQ(s.observe.webhook_timeout, 1s);
  EXPECT_EQ(s.observe.webhook_max_per_minute, 3);
  EXPECT_EQ(s.store.kind, "redis");
  EXPECT_EQ(s.store.prefix, "limits:eu");
  EXPECT_EQ(s.store.max_keys, 5);
  EXPECT_EQ(s.store.redis.topology, "sentinel");
  EXPECT_EQ(s.store.redis.shards, (Texts{"limits-a", "limits-b"}));
  EXPECT_EQ(s.store.redis.sentinels, (Texts{"[::1]:26379", "sentinel:26379"}));
  EXPECT_EQ(s.store.redis.login.username, "limiter");
  EXPECT_EQ(s.store.redis.login.password_file, "/run/secrets/redis");
  EXPECT_TRUE(s.store.redis.tls.on);
  EXPECT_EQ(s.store.redis.tls.ca, "/run/secrets/ca");
  EXPECT_EQ(s.store.redis.tls.cert, "/run/secrets/cert");
  EXPECT_EQ(s.store.redis.tls.key, "/run/secrets/key");
  EXPECT_EQ(s.store.redis.tls.server_name, "redis.example");
  EXPECT_EQ(s.store.redis.sentinel_login.username, "watcher");
  EXPECT_EQ(s.store.redis.sentinel_login.password_file, "/run/secrets/sentinel");
  EXPECT_TRUE(s.store.redis.sentinel_tls.on);
  EXPECT_EQ(s.store.redis.sentinel_tls.ca, "/run/secrets/sentinel-ca");
  EXPECT_EQ(s.store.redis.sentinel_tls.cert, "/run/secrets/sentinel-cert");
  EXPECT_EQ(s.store.redis.sentinel_tls.key, "/run/secrets/sentinel-key");
  EXPECT_EQ(s.store.redis.sentinel_tls.server_name, "::1");
  EXPECT_EQ(s.store.redis.connect_timeout, 1s);
  EXPECT_EQ(s.store.redis.timeout, 100ms);
  EXPECT_EQ(s.store.redis.repair_timeout, 3s);
  EXPECT_EQ(s.log.level, "debug");
  EXPECT_EQ(s.log.format, "json");
  EXPECT_EQ(s.policy.address_descriptors, (Texts{"ip", "peer"}));
  EXPECT_EQ(s.policy.ipv6_prefix, 48);
  EXPECT_EQ(s.policy.lease, (rules::LeaseSettings{2s, 3s, 0.5, 2, 300, 4, false}));
  EXPECT_EQ(config->policy->default_lease(), s.policy.lease);
  EXPECT_EQ(config->policy->rule_count(), 1U);
}

TEST(Load, EverySettingOfARule) {
  const auto config = load_text(kEverything, "sluice.toml");
  ASSERT_TRUE(config);
  ASSERT_EQ(config->settings.policy.rules.size(), 1U);
  const rules::RuleSpec& rule = config->settings.policy.rules[0];
  EXPECT_EQ(rule.name, "all");
  ASSERT_EQ(rule.match.size(),
            2U);  // by name, not in the order of the file: moving one changes no counter's key
  EXPECT_EQ(rule.match[0].descriptor, "ip");
  EXPECT_EQ(rule.match[0].patterns, (Texts{"10.0.0.0/8"}));
  EXPECT_EQ(rule.match[1].descriptor, "user");
  EXPECT_EQ(rule.match[1].patterns, (Texts{"a", "b*"}));
  EXPECT_EQ(rule.limit, "100/minute");
  EXPECT_EQ(rule.burst, 7);
  EXPECT_EQ(rule.algorithm, "token_bucket");
  EXPECT_EQ(rule.timezone, "Europe/Berlin");
  EXPECT_EQ(rule.key, (Texts{"user"}));
  EXPECT_EQ(rule.warn_at, 0.5);
  EXPECT_TRUE(rule.shadow);
  EXPECT_EQ(rule.on_store_failure, "allow");
  EXPECT_EQ(rule.mode, "exact");
  EXPECT_EQ(rule.lease, (rules::LeaseSpec{20ms, 30ms, 1.0, 5, 600, 7}));
  ASSERT_EQ(rule.overrides.size(), 2U);
  EXPECT_EQ(rule.overrides[0].match.at(0).patterns, (Texts{"b1"}));
  EXPECT_EQ(rule.overrides[0].limit, "5/s");
  EXPECT_EQ(rule.overrides[0].burst, 6);
  EXPECT_EQ(rule.overrides[1].limit, "unlimited");
  EXPECT_EQ(rule.overrides[1].burst, std::nullopt);
}

TEST(Load, EveryBypass) {
  const auto config = load_text(kEverything, "sluice.toml");
  ASSERT_TRUE(config);
  const auto& bypass = config->settings.policy.bypass;
  ASSERT_EQ(bypass.size(), 2U);
  EXPECT_EQ(bypass[0].match.at(0).descriptor, "path");
  EXPECT_EQ(bypass[1].match.at(0).patterns, (Texts{"::1", "127.0.0.0/8"}));
}

TEST(Load, EmptyFileGivesTheDefaults) {
  const auto config = load_text("", "sluice.toml");
  ASSERT_TRUE(config);
  const Settings& s = config->settings;
  EXPECT_EQ(s.server.socket, "/run/sluice/sluice.sock");
  EXPECT_EQ(s.server.socket_mode, 0660U);
  EXPECT_EQ(s.server.socket_gid, std::nullopt);
  EXPECT_EQ(s.server.tcp, "");
  EXPECT_EQ(s.server.max_wait, 20ms);
  EXPECT_EQ(s.server.max_connections, 4096);
  EXPECT_EQ(s.server.request_timeout, 10s);
  EXPECT_EQ(s.server.admin, "");
  EXPECT_FALSE(s.observe.show_keys);
  EXPECT_EQ(s.observe.top, 64);
  EXPECT_EQ(s.observe.denials_per_minute, 600);
  EXPECT_EQ(s.observe.webhook, "");
  EXPECT_EQ(s.observe.webhook_timeout, 2s);
  EXPECT_EQ(s.observe.webhook_max_per_minute, 12);
  EXPECT_EQ(s.store.kind, "memory");
  EXPECT_EQ(s.store.prefix, "sluice");
  EXPECT_EQ(s.store.max_keys, 1'000'000);
  EXPECT_EQ(s.store.redis.topology, "single");
  EXPECT_EQ(s.store.redis.shards, Texts{});
  EXPECT_EQ(s.store.redis.login.username, "");
  EXPECT_EQ(s.store.redis.login.password_file, "");
  EXPECT_EQ(s.store.redis.connect_timeout, 2s);
  EXPECT_EQ(s.store.redis.timeout, 250ms);
  EXPECT_EQ(s.store.redis.repair_timeout, 5s);
  EXPECT_EQ(s.store.redis.sentinels, Texts{});
  EXPECT_FALSE(s.store.redis.tls.on);
  EXPECT_FALSE(s.store.redis.sentinel_tls.on);
  EXPECT_EQ(s.log.level, "info");
  EXPECT_EQ(s.log.format, "text");
  EXPECT_EQ(s.policy.address_descriptors, rules::PolicySpec{}.address_descriptors);
  EXPECT_EQ(s.policy.ipv6_prefix, rules::PolicySpec{}.ipv6_prefix);
  EXPECT_EQ(s.policy.lease, rules::LeaseSettings{});
  EXPECT_EQ(config->policy->rule_count(), 0U);
}

TEST(Load, DefaultsOfARuleAreThoseOfRules) {
  const auto config = load_text("[[rule]]\nname = \"a\"\nlimit = \"5/s\"\n", "sluice.toml");
  ASSERT_TRUE(config);
  const rules::RuleSpec& rule = config->settings.policy.rules.at(0);
  const rules::RuleSpec blank;
  EXPECT_EQ(rule.algorithm, blank.algorithm);
  EXPECT_EQ(rule.timezone, blank.timezone);
  EXPECT_EQ(rule.key, blank.key);
  EXPECT_EQ(rule.warn_at, blank.warn_at);
  EXPECT_EQ(rule.shadow, blank.shadow);
  EXPECT_EQ(rule.on_store_failure, blank.on_store_failure);
  EXPECT_EQ(rule.burst, blank.burst);
  EXPECT_EQ(rule.mode, blank.mode);
  EXPECT_EQ(rule.lease, blank.lease);
}

TEST(Load, EveryWordOfTheTableCompiles) {
  for (const Setting& setting : settings_table()) {
    if (setting.section != "rule" || setting.type != Type::word) continue;
    for (const std::string_view word : setting.words) {
      std::string toml = "[[rule]]\nname = \"a\"\nlimit = \"5/s\"\n";
      toml.append(setting.key).append(" = \"").append(word).append("\"\n");
      EXPECT_EQ(problems(toml), Texts{});
    }
  }
}

TEST(Load, WindowsLineEndsAndByteOrderMark) {
  EXPECT_EQ(problems("\xef\xbb\xbf[server]\r\nsocket = \"/s\"\r\n"), Texts{});
}

TEST(ProblemText, ShowsThePlaceThatThereIs) {
  EXPECT_EQ((Problem{"a.toml", 3, 4, "wrong"}.text()), "a.toml:3:4: wrong");
  EXPECT_EQ((Problem{"a.toml", 0, 0, "wrong"}.text()), "a.toml: wrong");
}

class LoadFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "sluice-config-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr) << "no temporary directory";
    directory_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  [[nodiscard]] std::string path() const { return (directory_ / "sluice.toml").string(); }
  void write(const std::string& text) const { std::ofstream(path(), std::ios::binary) << text; }
  [[nodiscard]] Texts texts() const {
    Texts texts;
    const auto config = load_file(path());
    if (config) return texts;
    for (const Problem& problem : config.error()) texts.push_back(problem.text());
    return texts;
  }

 private:
  std::filesystem::path directory_;
};

TEST_F(LoadFile, Reads) {
  write(kEverything);
  const auto config = load_file(path());
  ASSERT_TRUE(config);
  EXPECT_EQ(config->settings.server.socket, "/tmp/s.sock");
}

TEST_F(LoadFile, PutsThePathBeforeProblems) {
  write("[server]\nsocket = 5\n");
  EXPECT_EQ(texts(), Texts{path() + ":2:10: socket must be a string, not an integer"});
}

TEST_F(LoadFile, MissingOrNoFile) {
  EXPECT_EQ(texts(), Texts{path() + ": cannot be read: No such file or directory"});
  std::filesystem::create_directory(path());
  EXPECT_EQ(texts(), Texts{path() + ": cannot be read: Is a directory"});
}

TEST_F(LoadFile, LongestAndTooLong) {
  std::string text = "[server]\nsocket = \"/s\"\n#";
  text.resize(4UL << 20U, '-');
  write(text);
  EXPECT_EQ(texts(), Texts{});
  write(text + "-");
  EXPECT_EQ(texts(), Texts{path() + ": is larger than 4 MiB"});
}

}  // namespace
}  // namespace sluice::config
