// Aim: conf/reference.toml is what the table gives, loads as it stands, and says the truth about defaults;
// the starter configuration loads. Method: compare with the file of the tree; load it as it is and with the
// lines that are switched off switched on.
#include <gtest/gtest.h>

#include <fstream>
#include <ios>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>

#include "config/load.h"
#include "config/table.h"
#include "problems.h"
#include "rules/descriptor.h"

namespace sluice::config {
namespace {

constexpr const char* kReferenceFile = SLUICE_CONF_DIR "/reference.toml";

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// "#key = …" → "key = …"
std::string switched_on(const std::string& text) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    const bool off = line.size() > 1 && line[0] == '#' && line[1] != ' ';
    out += line.substr(off ? 1 : 0) + '\n';
  }
  return out;
}

/// The literal of one setting as the reference shows it.
std::string shown(const std::string& section, const std::string& key, const std::string& text) {
  const auto header = text.find("\n" + section + "\n");
  const auto line = text.find("\n" + key + " = ", header);
  const auto begin = line + key.size() + 4;
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST(Reference, FileIsUpToDate) {
  EXPECT_EQ(file_text(kReferenceFile), reference_toml())
      << "The settings have changed. Make the file anew: sluicectl config reference > conf/reference.toml";
}

TEST(Reference, LoadsAndGivesTheDefaults) {
  EXPECT_EQ(problems(reference_toml()), Texts{});
  const auto reference = load_text(reference_toml(), "reference.toml");
  const auto empty = load_text("", "empty.toml");
  ASSERT_TRUE(reference && empty);
  EXPECT_EQ(needs_restart(reference->settings, empty->settings), Texts{});
  EXPECT_EQ(reference->settings.server.max_wait, empty->settings.server.max_wait);
  EXPECT_EQ(reference->settings.log.level, empty->settings.log.level);
  EXPECT_EQ(reference->settings.policy.address_descriptors, empty->settings.policy.address_descriptors);
  EXPECT_EQ(reference->settings.policy.ipv6_prefix, empty->settings.policy.ipv6_prefix);
}

TEST(Reference, LoadsWithTheOptionalLinesOn) {
  const std::string all = switched_on(reference_toml());
  EXPECT_EQ(problems(all), Texts{});
  const auto config = load_text(all, "all.toml");
  ASSERT_TRUE(config);
  EXPECT_EQ(config->settings.server.tcp, "127.0.0.1:7379");
  ASSERT_EQ(config->settings.policy.rules.size(), 1U);
  ASSERT_EQ(config->settings.policy.rules[0].overrides.size(), 1U);
  EXPECT_EQ(config->settings.policy.rules[0].overrides[0].burst, 20000);
  EXPECT_EQ(config->settings.policy.bypass.size(), 1U);
}

TEST(Reference, ShowsEverySettingOfTheTable) {
  const std::string all = switched_on(reference_toml());
  for (const Setting& setting : settings_table()) {
    const Section* const section = find_section(setting.section);
    ASSERT_NE(section, nullptr) << setting.section;
    EXPECT_EQ(shown(header_of(*section), std::string(setting.key), all), setting.literal)
        << path_of(setting.section, setting.key);
    EXPECT_FALSE(setting.help.empty());
  }
}

TEST(Starter, LoadsAsDescribed) {
  const std::string path = SLUICE_CONF_DIR "/sluice.toml";
  EXPECT_EQ(problems(file_text(path)), Texts{});
  const auto config = load_file(path);
  ASSERT_TRUE(config);
  EXPECT_EQ(config->settings.server.socket, "/run/sluice/sluice.sock");
  using Question = std::vector<rules::Descriptor>;
  const auto asked = [&](const Question& question) {
    Texts rules;
    for (const rules::Explanation& rule : config->policy->explain(question)) {
      if (rule.matches) rules.push_back(rule.rule + " " + rule.limit);
    }
    return rules;
  };
  EXPECT_EQ(asked({{"action", "login"}, {"user", "ann"}, {"ip", "203.0.113.5"}}), Texts{"login 5/minute"});
  EXPECT_EQ(asked({{"action", "read"}, {"user", "7"}}), Texts{"read 1000/minute"});
  EXPECT_EQ(asked({{"action", "read"}, {"user", "vip-7"}}), Texts{"read 10000/minute"});
  EXPECT_EQ(asked({{"action", "search"}, {"user", "7"}}), Texts{"search 30/minute"});
  EXPECT_EQ(asked({{"action", "upload"}, {"user", "7"}}), Texts{"upload 10/hour"});
  EXPECT_EQ(asked({{"action", "api"}, {"user", "7"}}),
            (Texts{"api-second 5/s", "api-minute 300/minute", "api-hour 5000/hour"}));
  EXPECT_EQ(config->policy->bypass_of(Question{{"path", "/health"}}), 0U);
  EXPECT_EQ(config->policy->bypass_of(Question{{"action", "webhook"}, {"ip", "192.0.2.7"}}), 1U);
  EXPECT_EQ(config->policy->bypass_of(Question{{"action", "webhook"}, {"ip", "203.0.113.7"}}), std::nullopt);
}

}  // namespace
}  // namespace sluice::config
