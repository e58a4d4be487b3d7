// The rows, in the order of the reference within each section; those of the store, HTTP,
// leases and [observe] are in files of their own.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/time.h"
#include "config/checks.h"
#include "config/http_rows.h"
#include "config/lease_rows.h"
#include "config/observe_rows.h"
#include "config/settings.h"
#include "config/store_rows.h"
#include "config/table.h"

namespace sluice::config {
namespace {

using namespace std::chrono_literals;

// 2^53 − 1, which all arithmetic of the limiter stays within.
constexpr std::int64_t kMaxTokens = 9'007'199'254'740'991;
// The one above means "unchanged" to chown.
constexpr std::int64_t kMaxGroup = 4'294'967'294;

constexpr std::array<std::string_view, 4> kLogLevels{"debug", "info", "warn", "error"};
constexpr std::array<std::string_view, 2> kLogFormats{"text", "json"};
constexpr std::array<std::string_view, 4> kAlgorithms{"token_bucket", "fixed_window", "sliding_window_log",
                                                      "sliding_window_counter"};
constexpr std::array<std::string_view, 3> kFailurePolicies{"share", "allow", "deny"};

constexpr std::array kOtherRows{
    Setting{.section = "server",
            .key = "socket",
            .literal = R"("/run/sluice/sluice.sock")",
            .limits = "an absolute path of at most 107 bytes",
            .check = check_socket_path,
            .slot = [](Settings& s) -> Slot { return &s.server.socket; },
            .help = "The Unix socket to listen on."},
    Setting{
        .section = "server",
        .key = "socket_mode",
        .type = Type::mode,
        .literal = R"("0660")",
        .bounds = {0, 0777},
        .slot = [](Settings& s) -> Slot { return &s.server.socket_mode; },
        .help = "Who may connect: the permissions of the socket file. To connect takes the right to write."},
    Setting{.section = "server",
            .key = "socket_gid",
            .type = Type::integer,
            .presence = Presence::optional,
            .literal = "1000",
            .bounds = {0, kMaxGroup},
            .slot = [](Settings& s) -> Slot { return &s.server.socket_gid; },
            .help = "The group that owns the socket file. Without it, the group of the daemon."},
    Setting{.section = "server",
            .key = "tcp",
            .presence = Presence::optional,
            .literal = R"("127.0.0.1:7379")",
            .limits = "host:port with 127.0.0.0/8, [::1] or localhost; port 0 takes a free one",
            .check = check_loopback_address,
            .slot = [](Settings& s) -> Slot { return &s.server.tcp; },
            .help = "A loopback address to listen on as well, for programs that cannot dial a Unix socket."},
    Setting{.section = "server",
            .key = "max_wait",
            .type = Type::duration,
            .change = Change::reload,
            .literal = R"("20ms")",
            .bounds = between(1ms, 10s),
            .slot = [](Settings& s) -> Slot { return &s.server.max_wait; },
            .help = "Longest that a check waits for the store; then the rule's on_store_failure answers."},
    Setting{.section = "server",
            .key = "max_connections",
            .type = Type::integer,
            .change = Change::reload,
            .literal = "4096",
            .bounds = {1, 100'000},
            .slot = [](Settings& s) -> Slot { return &s.server.max_connections; },
            .help = "Most clients at a time; further ones are refused."},
    Setting{.section = "server",
            .key = "request_timeout",
            .type = Type::duration,
            .change = Change::reload,
            .literal = R"("10s")",
            .bounds = between(100ms, 10min),
            .slot = [](Settings& s) -> Slot { return &s.server.request_timeout; },
            .help = "Longest that a request may take to arrive once begun, and that a client may leave "
                    "answers unread."},

    Setting{.section = "log",
            .key = "level",
            .type = Type::word,
            .change = Change::reload,
            .literal = R"("info")",
            .words = kLogLevels,
            .slot = [](Settings& s) -> Slot { return &s.log.level; },
            .help = "The least important lines that are written."},
    Setting{.section = "log",
            .key = "format",
            .type = Type::word,
            .change = Change::reload,
            .literal = R"("text")",
            .words = kLogFormats,
            .slot = [](Settings& s) -> Slot { return &s.log.format; },
            .help = "text for people, json for machines."},

    Setting{
        .section = "address",
        .key = "descriptors",
        .type = Type::strings,
        .change = Change::reload,
        .literal = R"(["ip"])",
        .slot = [](Settings& s) -> Slot { return &s.policy.address_descriptors; },
        .help =
            "Names of the descriptors whose values are IP addresses; they match by address and CIDR block."},
    Setting{.section = "address",
            .key = "ipv6_prefix",
            .type = Type::integer,
            .change = Change::reload,
            .literal = "64",
            .bounds = {1, 128},
            .slot = [](Settings& s) -> Slot { return &s.policy.ipv6_prefix; },
            .help = "IPv6 addresses that agree in this many leading bits are counted as one."},

    Setting{.section = "rule",
            .key = "name",
            .presence = Presence::required,
            .change = Change::reload,
            .literal = R"("per-user")",
            .limits = "1 to 64 of A-Z a-z 0-9 _ . : -, different from all other rules'",
            .slot = [](Settings& s) -> Slot { return &s.policy.rules.back().name; },
            .help = "What answers and metrics call the rule. Its counters belong to the name."},
    Setting{.section = "rule",
            .key = "match",
            .type = Type::match,
            .presence = Presence::optional,
            .change = Change::reload,
            .literal = R"({ user = "*" })",
            .slot = [](Settings& s) -> Slot { return &s.policy.rules.back().match; },
            .help = "Descriptors that a check must have, all of them. Without match, the rule takes part in "
                    "every check."},
    Setting{
        .section = "rule",
        .key = "limit",
        .type = Type::rate,
        .presence = Presence::required,
        .change = Change::reload,
        .literal = R"("100/minute")",
        .slot = [](Settings& s) -> Slot { return &s.policy.rules.back().limit; },
        .help = R"(What may pass: "5/s", "10/15m", "1000000/day"; "unlimited" allows all, 0 denies all.)"},
    Setting{.section = "rule",
            .key = "burst",
            .type = Type::integer,
            .presence = Presence::optional,
            .change = Change::reload,
            .literal = "120",
            .bounds = {1, kMaxTokens},
            .slot = [](Settings& s) -> Slot { return &s.policy.rules.back().burst; },
            .help = "Only for token_bucket: how much may pass at once after a pause. Without it, the number "
                    "in limit."},
    Setting{.section = "rule",
            .key = "algorithm",
            .type = Type::word,
            .change = Change::reload,
            .literal = R"("token_bucket")",
            .words = kAlgorithms,
            .slot = [](Settings& s) -> Slot { return &s.policy.rules.back().algorithm; },
            .help = "How the limit is kept: smoothly; per window of the clock; exactly at any time; "
                    "estimated from two windows."},
    Setting{.section = "rule",
            .key = "timezone",
            .change = Change::reload,
            .literal = R"("UTC")",
            .limits = "a name of the IANA time zone database",
            .slot = [](Settings& s) -> Slot { return &s.policy.rules.back().timezone; },
            .help = "Only for fixed_window per day, month or year: where these begin."},
    Setting{.section = "rule",
            .key = "key",
            .type = Type::strings,
            .presence = Presence::optional,
            .change = Change::reload,
            .literal = R"(["user"])",
            .slot = [](Settings& s) -> Slot { return &s.policy.rules.back().key; },
            .help = "Which of the matched descriptors separate counters; [] makes one counter for all. "
                    "Without it, all do."},
    Setting{.section = "rule",
            .key = "warn_at",
            .type = Type::share,
            .change = Change::reload,
            .literal = "0.9",
            .slot = [](Settings& s) -> Slot { return &s.policy.rules.back().warn_at; },
            .help = "The used share of the limit from which answers carry a warning."},
    Setting{.section = "rule",
            .key = "shadow",
            .type = Type::boolean,
            .change = Change::reload,
            .literal = "false",
            .slot = [](Settings& s) -> Slot { return &s.policy.rules.back().shadow; },
            .help = "Count and report, but never deny: to try a rule out."},
    Setting{.section = "rule",
            .key = "on_store_failure",
            .type = Type::word,
            .change = Change::reload,
            .literal = R"("share")",
            .words = kFailurePolicies,
            .slot = [](Settings& s) -> Slot { return &s.policy.rules.back().on_store_failure; },
            .help =
                "The answer when the store gives none within max_wait. share: by this daemon's part of the "
                "limit, and what passes is counted when the store is back."},

    Setting{.section = "rule.override",
            .key = "match",
            .type = Type::match,
            .presence = Presence::required,
            .change = Change::reload,
            .literal = R"({ user = "vip-*" })",
            .slot = [](Settings& s) -> Slot { return &s.policy.rules.back().overrides.back().match; },
            .help = "As match of the rule."},
    Setting{.section = "rule.override",
            .key = "limit",
            .type = Type::rate,
            .presence = Presence::required,
            .change = Change::reload,
            .literal = R"("10000/minute")",
            .slot = [](Settings& s) -> Slot { return &s.policy.rules.back().overrides.back().limit; },
            .help = "As limit of the rule."},
    Setting{.section = "rule.override",
            .key = "burst",
            .type = Type::integer,
            .presence = Presence::optional,
            .change = Change::reload,
            .literal = "20000",
            .bounds = {1, kMaxTokens},
            .slot = [](Settings& s) -> Slot { return &s.policy.rules.back().overrides.back().burst; },
            .help = "As burst of the rule, whose own burst does not apply here."},

    Setting{.section = "bypass",
            .key = "match",
            .type = Type::match,
            .presence = Presence::required,
            .change = Change::reload,
            .literal = R"({ path = ["/health", "/ready"] })",
            .slot = [](Settings& s) -> Slot { return &s.policy.bypass.back().match; },
            .help = "As match of a rule; \"sha256:\" and 64 hex digits stand for a secret value."},
};

template <std::size_t... Sizes>
constexpr auto joined(const std::array<Setting, Sizes>&... parts) {
  std::array<Setting, (Sizes + ...)> all{};
  auto* end = all.begin();
  ((end = std::ranges::copy(parts, end).out), ...);
  return all;
}

constexpr auto kSettings = joined(kOtherRows, kAdminRows, kStoreRows, kObserveRows, kHttpRows, kLeaseRows);

}  // namespace

std::span<const Setting> settings_table() {
  return kSettings;
}

}  // namespace sluice::config
