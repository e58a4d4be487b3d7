// The rows of [store] and [store.redis] for settings_table.cc, in the order of the reference. Internal to
// config/.
#pragma once

#include <array>
#include <chrono>
#include <string_view>

#include "config/checks.h"
#include "config/settings.h"
#include "config/table.h"

namespace sluice::config {

inline constexpr std::array<std::string_view, 2> kStoreKinds{"memory", "redis"};
inline constexpr std::array<std::string_view, 1> kTopologies{"single"};

inline constexpr std::array kStoreRows{
    Setting{.section = "store",
            .key = "kind",
            .type = Type::word,
            .literal = R"("memory")",
            .words = kStoreKinds,
            .slot = [](Settings& s) -> Slot { return &s.store.kind; },
            .help = "memory: within the daemon, for one machine. redis: on a server that daemons share; it "
                    "needs [store.redis]."},
    Setting{.section = "store",
            .key = "prefix",
            .literal = R"("sluice")",
            .limits = "1 to 64 of A-Z a-z 0-9 _ . : -",
            .check = check_key_prefix,
            .slot = [](Settings& s) -> Slot { return &s.store.prefix; },
            .help = "What the names of all keys in redis begin with. Daemons share their counters when it is "
                    "the same."},
    Setting{.section = "store",
            .key = "max_keys",
            .type = Type::integer,
            .literal = "1000000",
            .bounds = {1, 100'000'000},
            .slot = [](Settings& s) -> Slot { return &s.store.max_keys; },
            .help = "Most counters held at a time; with redis, most keys that the daemon itself holds."},

    Setting{
        .section = "store.redis",
        .key = "topology",
        .type = Type::word,
        .literal = R"("single")",
        .words = kTopologies,
        .slot = [](Settings& s) -> Slot { return &s.store.redis.topology; },
        .help = "How the servers divide the keys: single is one server for all, and all there is for now."},
    Setting{.section = "store.redis",
            .key = "shards",
            .type = Type::strings,
            .presence = Presence::optional,
            .literal = R"(["redis:6379"])",
            .limits = "host:port, [::1]:6379 or the absolute path of a Unix socket; exactly one for single",
            .check = check_endpoint,
            .slot = [](Settings& s) -> Slot { return &s.store.redis.shards; },
            .help = "Addresses of the servers. Required when kind is redis."},
    Setting{.section = "store.redis",
            .key = "username",
            .presence = Presence::optional,
            .literal = R"("sluice")",
            .limits = "not empty",
            .check = check_not_empty,
            .slot = [](Settings& s) -> Slot { return &s.store.redis.username; },
            .help = "Whom to log in as. Without it, as the server's default user."},
    Setting{.section = "store.redis",
            .key = "password_file",
            .presence = Presence::optional,
            .literal = R"("/etc/sluice/redis-password")",
            .limits = "an absolute path",
            .check = check_absolute_path,
            .slot = [](Settings& s) -> Slot { return &s.store.redis.password_file; },
            .help = "The file that holds the password. Without it, none is sent."},
    Setting{.section = "store.redis",
            .key = "connect_timeout",
            .type = Type::duration,
            .literal = R"("2s")",
            .bounds = between(std::chrono::milliseconds{10}, std::chrono::minutes{1}),
            .slot = [](Settings& s) -> Slot { return &s.store.redis.connect_timeout; },
            .help = "Longest that an attempt to connect may take, with finding the address and logging in."},
    Setting{.section = "store.redis",
            .key = "timeout",
            .type = Type::duration,
            .literal = R"("250ms")",
            .bounds = between(std::chrono::milliseconds{5}, std::chrono::minutes{1}),
            .slot = [](Settings& s) -> Slot { return &s.store.redis.timeout; },
            .help = "Longest to wait for the answer to one command."},
};

}  // namespace sluice::config
