#include "config/table.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "config/settings.h"

namespace sluice::config {
namespace {

constexpr std::array kSections{
    Section{.path = "server", .help = "Where clients connect, and how long they may take."},
    Section{.path = "store", .help = "Where the counters are."},
    Section{.path = "store.redis",
            .help = "Only for kind = \"redis\", but it may stay when kind is another."},
    Section{.path = "store.redis.tls",
            .help =
                "Speak TLS with the servers; [store.redis.tls] alone is enough. The server's certificate is "
                "always verified. Changed files are read again by themselves.",
            .present = [](Settings& s) { return &s.store.redis.tls.on; }},
    Section{.path = "store.redis.sentinel_auth",
            .help =
                "Only for topology \"sentinel\": how to log in at the sentinels. Nothing above applies to "
                "them."},
    Section{.path = "store.redis.sentinel_tls",
            .help =
                "Only for topology \"sentinel\": speak TLS with the sentinels. [store.redis.tls] does not "
                "apply to them.",
            .present = [](Settings& s) { return &s.store.redis.sentinel_tls.on; }},
    Section{.path = "log", .help = "Lines on standard error."},
    Section{.path = "observe", .help = "What is seen of keys, and who is told when something happens."},
    Section{.path = "http", .help = "How HTTP is answered, and how a gateway's requests reach Sluice."},
    Section{.path = "http.descriptors",
            .help =
                "What /v1/authorize makes of a request's headers. A name stands for one descriptor; \"ip\" "
                "is the client's address."},
    Section{.path = "address", .help = "How values that are IP addresses are compared and counted."},
    Section{.path = "lease",
            .help = "How many tokens a daemon takes from a shared store ahead of the checks that spend them. "
                    "Rules may differ: see [rule.lease]."},
    Section{.path = "rule",
            .shape = Shape::array,
            .append = [](Settings& s) { s.policy.rules.emplace_back(); },
            .help = "Limits, one [[rule]] each. Of the rules that match a check all must pass. Without any, "
                    "all is allowed."},
    Section{
        .path = "rule.lease",
        .help =
            "What this rule has otherwise than [lease]. In one line within the rule: lease = { max = 200 }."},
    Section{.path = "rule.override",
            .shape = Shape::array,
            .append = [](Settings& s) { s.policy.rules.back().overrides.emplace_back(); },
            .help = "Other limits for some values. The first override that matches replaces limit and burst "
                    "of the rule above it."},
    Section{.path = "bypass",
            .shape = Shape::array,
            .append = [](Settings& s) { s.policy.bypass.emplace_back(); },
            .help = "Checks that are allowed without counting. One [[bypass]] that matches is enough."},
};

}  // namespace

std::span<const Section> sections() {
  return kSections;
}

const Section* find_section(std::string_view path) {
  const auto* const at = std::ranges::find(kSections, path, &Section::path);
  return at == kSections.end() ? nullptr : at;
}

const Setting* find_setting(std::string_view section, std::string_view key) {
  for (const Setting& setting : settings_table()) {
    if (setting.section == section && setting.key == key) return &setting;
  }
  return nullptr;
}

bool is_repeated(const Section& section) {
  if (section.shape == Shape::array) return true;
  const Section* const parent = find_section(parent_of(section.path));
  return parent != nullptr && is_repeated(*parent);
}

std::string header_of(const Section& section) {
  const std::string header = std::string("[").append(section.path).append("]");
  return section.shape == Shape::table ? header : "[" + header + "]";
}

std::string path_of(std::string_view section, std::string_view key) {
  std::string path(section);
  if (!path.empty()) path += '.';
  return path.append(key);
}

std::string_view parent_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

std::string_view leaf_of(std::string_view path) {
  return path.substr(path.rfind('.') + 1);  // npos + 1 is 0: the whole
}

}  // namespace sluice::config
