// Fuzzes patterns and keys. Input: a pattern, then values, one a line. Promises: a glob agrees with the
// simplest matcher there is; exact patterns, tables and addresses agree with it as far as they are globs;
// a key can be taken apart again into what it was made of, so different values never share one.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/address.h"
#include "base/assert.h"
#include "base/hash.h"
#include "fuzz/fuzz.h"
#include "rules/descriptor.h"
#include "rules/glob.h"
#include "rules/key.h"
#include "rules/pattern.h"
#include "rules/policy.h"
#include "rules/request.h"
#include "rules/spec.h"

namespace sluice::fuzz {
namespace {

using namespace rules;

constexpr int kPrefix = 64;

/// Column by column: reachable[i] is whether the text so far matches the first i units of the pattern.
bool matches_simply(std::string_view pattern, std::string_view text) {
  struct Unit {
    char byte;
    bool any;
    bool star;
  };
  std::vector<Unit> units;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool escaped = pattern[i] == '\\';
    if (escaped) ++i;
    units.push_back({pattern[i], !escaped && pattern[i] == '?', !escaped && pattern[i] == '*'});
  }
  std::vector<bool> reached(units.size() + 1);
  reached[0] = true;
  const auto skip_stars = [&] {
    for (std::size_t i = 0; i < units.size(); ++i) {
      if (reached[i] && units[i].star) reached[i + 1] = true;
    }
  };
  skip_stars();
  for (const char c : text) {
    for (std::size_t i = units.size(); i > 0; --i) {
      const Unit& unit = units[i - 1];
      reached[i] = unit.star ? reached[i] || reached[i - 1] : reached[i - 1] && (unit.any || unit.byte == c);
    }
    reached[0] = false;
    skip_stars();
  }
  return reached.back();
}

void check_patterns(const std::string& pattern, const Value& value) {
  const auto glob = Glob::parse(pattern);
  const bool fits = glob && glob->matches(value.text());
  if (glob) {
    SLUICE_ASSERT(fits == matches_simply(pattern, value.text()));
    if (const auto literal = glob->literal()) SLUICE_ASSERT(fits == (value.text() == *literal));
  } else {
    SLUICE_ASSERT(!glob.error().message.empty());
  }
  const auto matcher = DescriptorMatcher::compile(
      {.descriptor = std::string(value.name()), .patterns = {pattern}}, value.kind());
  if (!matcher) {
    SLUICE_ASSERT(!matcher.error().message.empty());
    return;
  }
  const bool found = matcher->find(value).has_value();
  if (value.kind() == ValueKind::text && !matcher->is_secret()) {
    SLUICE_ASSERT(glob && found == fits);
  } else if (value.kind() == ValueKind::address && value.address() == nullptr) {
    SLUICE_ASSERT(!found || pattern == "*");
  }
}

/// One part off the front of a key, as key.h lays it out; nothing when it is none.
std::optional<std::string> take_part(std::string_view& key) {
  const auto take = [&key](std::size_t size) {
    SLUICE_ASSERT(size <= key.size());
    const std::string taken(key.substr(0, size));
    key.remove_prefix(size);
    return taken;
  };
  const std::string tag = take(1);
  if (tag == "4") return tag + take(4);
  if (tag == "6") return tag + take(16);
  if (tag == "s") return tag + take(sizeof(Sha256));
  if (tag != "t" && tag != "x") return std::nullopt;
  const std::size_t colon = key.find(':');
  std::size_t size = 0;
  SLUICE_ASSERT(std::from_chars(key.data(), key.data() + std::min(colon, key.size()), size).ec ==
                std::errc{});
  take(colon + 1);
  return tag + take(size);
}

std::string expected_part(const KeyPart& part, const Value& value) {
  if (part.form == KeyPart::Form::digest) {
    const Sha256 digest = sha256(value.text());
    return std::string(1, 's').append(reinterpret_cast<const char*>(digest.data()), digest.size());
  }
  const Address* address = value.address();
  if (address == nullptr) return (value.kind() == ValueKind::text ? "t" : "x") + std::string(value.text());
  const bool is_ipv6 = address->kind() == Address::Kind::ipv6;
  return std::string((is_ipv6 ? address->masked(kPrefix) : *address).form());
}

void check_key(const KeyPlan& plan, const Request& request) {
  std::string written;
  encode_key(plan, request, written);
  SLUICE_ASSERT(written.size() <= kMaxKeyBytes && written.starts_with(plan.rule + "/"));
  std::string_view key = std::string_view(written).substr(plan.rule.size() + 1);
  if (key.starts_with('#')) {
    SLUICE_ASSERT(key.size() == 1 + sizeof(Sha256));
    return;
  }
  SLUICE_ASSERT(key.size() <= kMaxPlainKey);
  for (const KeyPart& part : plan.parts) {
    const auto taken = take_part(key);
    SLUICE_ASSERT(taken && *taken == expected_part(part, *request.find(part.descriptor)));
  }
  SLUICE_ASSERT(key.empty());
}

}  // namespace

void run(std::string_view bytes) {
  const std::string pattern(take_line(bytes));
  const std::vector<std::string> names = {"user", "ip", "token", "peer"};
  const std::vector<std::string> addresses = {"ip", "peer"};
  std::vector<Descriptor> descriptors;
  KeyPlan plan{.rule = "rule", .parts = {}, .ipv6_prefix = kPrefix};
  for (const std::string& name : names) {
    descriptors.push_back({name, take_line(bytes)});
    plan.parts.push_back({name, name == "token" ? KeyPart::Form::digest : KeyPart::Form::plain});
  }
  const Request request(descriptors, addresses);
  for (const Value& value : request.values()) check_patterns(pattern, value);
  check_key(plan, request);
  const std::vector<std::string> secrets = {"token"};
  const std::string described = describe_key(plan, request, secrets);
  SLUICE_ASSERT(described.starts_with("rule{") && described.find_first_of("\r\n") == std::string::npos);
}

}  // namespace sluice::fuzz
