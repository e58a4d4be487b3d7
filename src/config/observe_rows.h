// The row of the admin listener and those of [observe] for settings_table.cc, in the order of the reference.
// Internal to config/.
#pragma once

#include <array>
#include <chrono>

#include "config/checks.h"
#include "config/settings.h"
#include "config/table.h"

namespace sluice::config {

inline constexpr std::array kAdminRows{
    Setting{.section = "server",
            .key = "admin",
            .presence = Presence::optional,
            .literal = R"("127.0.0.1:9464")",
            .limits = "address:port with an IP address or localhost; port 0 takes a free one",
            .check = check_listen_address,
            .slot = [](Settings& s) -> Slot { return &s.server.admin; },
            .help =
                "Where metrics, health and the page are served. Whoever reaches it may read them; nothing "
                "can be changed there. Without it there are none."},
};

inline constexpr std::array kObserveRows{
    Setting{.section = "observe",
            .key = "show_keys",
            .type = Type::boolean,
            .change = Change::reload,
            .literal = "false",
            .slot = [](Settings& s) -> Slot { return &s.observe.show_keys; },
            .help = "Show keys (users, addresses) in full on the admin address and to the webhook. Else they "
                    "are told apart by short hashes. The log never has them in full."},
    Setting{.section = "observe",
            .key = "top",
            .type = Type::integer,
            .change = Change::reload,
            .literal = "64",
            .bounds = {8, 1024},
            .slot = [](Settings& s) -> Slot { return &s.observe.top; },
            .help = "Keys that are followed for each rule, to find the busiest and the most denied: more are "
                    "more exact, and cost memory."},
    Setting{.section = "observe",
            .key = "denials_per_minute",
            .type = Type::integer,
            .change = Change::reload,
            .literal = "600",
            .bounds = {0, 1'000'000'000},
            .slot = [](Settings& s) -> Slot { return &s.observe.denials_per_minute; },
            .help = "A key that is denied more often raises an event, at most one a minute. 0: never."},
    Setting{.section = "observe",
            .key = "webhook",
            .presence = Presence::optional,
            .change = Change::reload,
            .literal = R"("https://hooks.example/sluice")",
            .limits = "a URL that begins with http:// or https://",
            .check = check_webhook_url,
            .slot = [](Settings& s) -> Slot { return &s.observe.webhook; },
            .help = "Events are posted there as JSON. The log never has it."},
    Setting{.section = "observe",
            .key = "webhook_timeout",
            .type = Type::duration,
            .change = Change::reload,
            .literal = R"("2s")",
            .bounds = between(std::chrono::milliseconds{100}, std::chrono::seconds{30}),
            .slot = [](Settings& s) -> Slot { return &s.observe.webhook_timeout; },
            .help = "Longest that one attempt to post may take."},
    Setting{.section = "observe",
            .key = "webhook_max_per_minute",
            .type = Type::integer,
            .change = Change::reload,
            .literal = "12",
            .bounds = {1, 600},
            .slot = [](Settings& s) -> Slot { return &s.observe.webhook_max_per_minute; },
            .help = "Most attempts to post in any minute. Up to 32 events wait their turn; further ones are "
                    "dropped, and counted."},
};

}  // namespace sluice::config
