// The rows of [store] and all below it for settings_table.cc, in the order of the reference. Internal to
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
inline constexpr std::array<std::string_view, 4> kTopologies{"single", "shards", "sentinel", "cluster"};

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
        .help =
            "How the servers divide the keys: single: one server for all. shards: several servers, by name. "
            "sentinel: several masters that Sentinel watches. cluster: a Redis Cluster."},
    Setting{
        .section = "store.redis",
        .key = "shards",
        .type = Type::strings,
        .presence = Presence::optional,
        .literal = R"(["redis:6379"])",
        .limits =
            "single: one address (host:port, [::1]:6379 or the path of a Unix socket). shards: up to 64 "
            "of them, or name=address: the name, else the address, is what keys go by. sentinel: up to "
            "64 names of masters. cluster: up to 64 addresses of nodes to ask first",
        .slot = [](Settings& s) -> Slot { return &s.store.redis.shards; },
        .help =
            "What the keys are divided between, the same in every daemon. Required when kind is redis. With "
            "shards, a=redis-a:6379 gives a shard a name, by which it keeps its keys at another address."},
    Setting{.section = "store.redis",
            .key = "sentinels",
            .type = Type::strings,
            .presence = Presence::optional,
            .literal = R"(["sentinel-0:26379", "sentinel-1:26379", "sentinel-2:26379"])",
            .limits = "one address for single (host:port, [::1]:6379 or the path of a Unix socket); up to 64 "
                      "addresses for shards and cluster; up to 64 names of masters for sentinel",
            .slot = [](Settings& s) -> Slot { return &s.store.redis.sentinels; },
            .help = "Only for topology \"sentinel\", and required there: whom to ask where the masters are."},
    Setting{.section = "store.redis",
            .key = "username",
            .presence = Presence::optional,
            .literal = R"("sluice")",
            .limits = "not empty",
            .check = check_not_empty,
            .slot = [](Settings& s) -> Slot { return &s.store.redis.login.username; },
            .help = "Whom to log in as, with password_file. Without it, as the server's default user."},
    Setting{
        .section = "store.redis",
        .key = "password_file",
        .presence = Presence::optional,
        .literal = R"("/etc/sluice/redis-password")",
        .limits = "an absolute path",
        .check = check_absolute_path,
        .slot = [](Settings& s) -> Slot { return &s.store.redis.login.password_file; },
        .help = "The file that holds the password; read again when it changes. Without it, none is sent."},
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
    Setting{.section = "store.redis",
            .key = "repair_timeout",
            .type = Type::duration,
            .literal = R"("5s")",
            .bounds = between(std::chrono::milliseconds{0}, std::chrono::minutes{10}),
            .slot = [](Settings& s) -> Slot { return &s.store.redis.repair_timeout; },
            .help =
                "After a failover, longest that a new master grants nothing while daemons that were alive "
                "have not booked there what the old one lost."},

    Setting{.section = "store.redis.tls",
            .key = "ca",
            .presence = Presence::optional,
            .literal = R"("/etc/sluice/ca.pem")",
            .limits = "an absolute path",
            .check = check_absolute_path,
            .slot = [](Settings& s) -> Slot { return &s.store.redis.tls.ca; },
            .help = "The authorities (PEM) of which one must have signed the server's certificate. Without "
                    "it, the system's."},
    Setting{.section = "store.redis.tls",
            .key = "cert",
            .presence = Presence::optional,
            .literal = R"("/etc/sluice/client.pem")",
            .limits = "an absolute path",
            .check = check_absolute_path,
            .slot = [](Settings& s) -> Slot { return &s.store.redis.tls.cert; },
            .help = "Our own certificate (PEM, with its chain), for servers that want one. Needs key."},
    Setting{.section = "store.redis.tls",
            .key = "key",
            .presence = Presence::optional,
            .literal = R"("/etc/sluice/client.key")",
            .limits = "an absolute path",
            .check = check_absolute_path,
            .slot = [](Settings& s) -> Slot { return &s.store.redis.tls.key; },
            .help = "The private key of cert (PEM, not encrypted)."},
    Setting{.section = "store.redis.tls",
            .key = "server_name",
            .presence = Presence::optional,
            .literal = R"("redis.example")",
            .limits = "not empty",
            .check = check_not_empty,
            .slot = [](Settings& s) -> Slot { return &s.store.redis.tls.server_name; },
            .help = "The name or address that the server's certificate must be for. Without it, the host "
                    "that is dialled."},

    Setting{.section = "store.redis.sentinel_auth",
            .key = "username",
            .presence = Presence::optional,
            .literal = R"("sluice-sentinel")",
            .limits = "not empty",
            .check = check_not_empty,
            .slot = [](Settings& s) -> Slot { return &s.store.redis.sentinel_login.username; },
            .help = "Whom to log in as, with password_file. Without it, as the default user."},
    Setting{
        .section = "store.redis.sentinel_auth",
        .key = "password_file",
        .presence = Presence::optional,
        .literal = R"("/etc/sluice/sentinel-password")",
        .limits = "an absolute path",
        .check = check_absolute_path,
        .slot = [](Settings& s) -> Slot { return &s.store.redis.sentinel_login.password_file; },
        .help = "The file that holds the password; read again when it changes. Without it, none is sent."},

    Setting{.section = "store.redis.sentinel_tls",
            .key = "ca",
            .presence = Presence::optional,
            .literal = R"("/etc/sluice/sentinel-ca.pem")",
            .limits = "an absolute path",
            .check = check_absolute_path,
            .slot = [](Settings& s) -> Slot { return &s.store.redis.sentinel_tls.ca; },
            .help = "The authorities (PEM) of which one must have signed the sentinels' certificates. "
                    "Without it, the system's."},
    Setting{.section = "store.redis.sentinel_tls",
            .key = "cert",
            .presence = Presence::optional,
            .literal = R"("/etc/sluice/client.pem")",
            .limits = "an absolute path",
            .check = check_absolute_path,
            .slot = [](Settings& s) -> Slot { return &s.store.redis.sentinel_tls.cert; },
            .help = "Our own certificate (PEM, with its chain), for servers that want one. Needs key."},
    Setting{.section = "store.redis.sentinel_tls",
            .key = "key",
            .presence = Presence::optional,
            .literal = R"("/etc/sluice/client.key")",
            .limits = "an absolute path",
            .check = check_absolute_path,
            .slot = [](Settings& s) -> Slot { return &s.store.redis.sentinel_tls.key; },
            .help = "The private key of cert (PEM, not encrypted)."},
    Setting{.section = "store.redis.sentinel_tls",
            .key = "server_name",
            .presence = Presence::optional,
            .literal = R"("redis.example")",
            .limits = "not empty",
            .check = check_not_empty,
            .slot = [](Settings& s) -> Slot { return &s.store.redis.sentinel_tls.server_name; },
            .help = "The name or address that the sentinels' certificates must be for. Without it, the host "
                    "that is dialled."},
};

}  // namespace sluice::config
