// The rows of [lease] and of what a rule says of leases for settings_table.cc, in the order of the reference.
// Internal to config/.
#pragma once

#include <array>
#include <chrono>
#include <string_view>

#include "config/settings.h"
#include "config/table.h"

namespace sluice::config {

inline constexpr std::array<std::string_view, 2> kLeaseModes{"leased", "exact"};

/// Of target and ttl, of min and max, and of initial; for all and for one rule alike.
inline constexpr Bounds kLeaseTimes = between(std::chrono::milliseconds{10}, std::chrono::hours{1});
inline constexpr Bounds kLeaseTokens{1, 1'000'000'000};
inline constexpr Bounds kInitialTokens{0, 1'000'000};

inline constexpr std::array kLeaseRows{
    Setting{.section = "lease",
            .key = "target",
            .type = Type::duration,
            .change = Change::reload,
            .literal = R"("1s")",
            .bounds = kLeaseTimes,
            .slot = [](Settings& s) -> Slot { return &s.policy.lease.target; },
            .help = "How much of its own recent demand a daemon tries to hold."},
    Setting{.section = "lease",
            .key = "ttl",
            .type = Type::duration,
            .change = Change::reload,
            .literal = R"("2s")",
            .bounds = kLeaseTimes,
            .slot = [](Settings& s) -> Slot { return &s.policy.lease.ttl; },
            .help = "Longest that tokens are held unused."},
    Setting{.section = "lease",
            .key = "slack",
            .type = Type::share,
            .change = Change::reload,
            .literal = "0.25",
            .slot = [](Settings& s) -> Slot { return &s.policy.lease.slack; },
            .help = "The share of its size by which a token bucket may burst beyond it: tokens are held for "
                    "slack x burst / rate at most."},
    Setting{.section = "lease",
            .key = "min",
            .type = Type::integer,
            .change = Change::reload,
            .literal = "1",
            .bounds = kLeaseTokens,
            .slot = [](Settings& s) -> Slot { return &s.policy.lease.min; },
            .help = "Fewest tokens to ask for beyond what waiting checks need."},
    Setting{.section = "lease",
            .key = "max",
            .type = Type::integer,
            .change = Change::reload,
            .literal = "1000",
            .bounds = kLeaseTokens,
            .slot = [](Settings& s) -> Slot { return &s.policy.lease.max; },
            .help = "Most tokens to ask for beyond what waiting checks need; at least min."},
    Setting{.section = "lease",
            .key = "initial",
            .type = Type::integer,
            .change = Change::reload,
            .literal = "0",
            .bounds = kInitialTokens,
            .slot = [](Settings& s) -> Slot { return &s.policy.lease.initial; },
            .help = "Tokens that a daemon may spend on a key that is new to it until the store answers; at "
                    "most max. They come on top of the limit, for each daemon."},

    Setting{.section = "rule",
            .key = "mode",
            .type = Type::word,
            .change = Change::reload,
            .literal = R"("leased")",
            .words = kLeaseModes,
            .slot = [](Settings& s) -> Slot { return &s.policy.rules.back().mode; },
            .help = "leased: most checks are answered from tokens leased beforehand. exact: each asks the "
                    "store; sliding_window_log always does."},

    Setting{.section = "rule.lease",
            .key = "target",
            .type = Type::duration,
            .presence = Presence::optional,
            .change = Change::reload,
            .literal = R"("1s")",
            .bounds = kLeaseTimes,
            .slot = [](Settings& s) -> Slot { return &s.policy.rules.back().lease.target; },
            .help = "As target of [lease]."},
    Setting{.section = "rule.lease",
            .key = "ttl",
            .type = Type::duration,
            .presence = Presence::optional,
            .change = Change::reload,
            .literal = R"("2s")",
            .bounds = kLeaseTimes,
            .slot = [](Settings& s) -> Slot { return &s.policy.rules.back().lease.ttl; },
            .help = "As ttl of [lease]."},
    Setting{.section = "rule.lease",
            .key = "slack",
            .type = Type::share,
            .presence = Presence::optional,
            .change = Change::reload,
            .literal = "0.25",
            .slot = [](Settings& s) -> Slot { return &s.policy.rules.back().lease.slack; },
            .help = "As slack of [lease]."},
    Setting{.section = "rule.lease",
            .key = "min",
            .type = Type::integer,
            .presence = Presence::optional,
            .change = Change::reload,
            .literal = "1",
            .bounds = kLeaseTokens,
            .slot = [](Settings& s) -> Slot { return &s.policy.rules.back().lease.min; },
            .help = "As min of [lease]."},
    Setting{.section = "rule.lease",
            .key = "max",
            .type = Type::integer,
            .presence = Presence::optional,
            .change = Change::reload,
            .literal = "200",
            .bounds = kLeaseTokens,
            .slot = [](Settings& s) -> Slot { return &s.policy.rules.back().lease.max; },
            .help = "As max of [lease]."},
    Setting{.section = "rule.lease",
            .key = "initial",
            .type = Type::integer,
            .presence = Presence::optional,
            .change = Change::reload,
            .literal = "0",
            .bounds = kInitialTokens,
            .slot = [](Settings& s) -> Slot { return &s.policy.rules.back().lease.initial; },
            .help = "As initial of [lease]."},
};

}  // namespace sluice::config
