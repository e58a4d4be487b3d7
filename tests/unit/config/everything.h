// A file that writes every setting of the daemon, the store and the rules.
#pragma once

namespace sluice::config {

inline constexpr const char* kEverything = R"(
[server]
socket = "/tmp/s.sock"
socket_mode = "0600"
socket_gid = 12
tcp = "[::1]:7379"
max_wait = "50ms"
max_connections = 10
request_timeout = "1m"
admin = "0.0.0.0:9464"
[observe]
show_keys = true
top = 100
denials_per_minute = 50
webhook = "http://127.0.0.1:9000/hook"
webhook_timeout = "1s"
webhook_max_per_minute = 3
[store]
kind = "redis"
prefix = "limits:eu"
max_keys = 5
[store.redis]
topology = "sentinel"
shards = ["limits-a", "limits-b"]
sentinels = ["[::1]:26379", "sentinel:26379"]
username = "limiter"
password_file = "/run/secrets/redis"
connect_timeout = "1s"
timeout = "100ms"
repair_timeout = "3s"
[store.redis.tls]
ca = "/run/secrets/ca"
cert = "/run/secrets/cert"
key = "/run/secrets/key"
server_name = "redis.example"
[store.redis.sentinel_auth]
username = "watcher"
password_file = "/run/secrets/sentinel"
[store.redis.sentinel_tls]
ca = "/run/secrets/sentinel-ca"
cert = "/run/secrets/sentinel-cert"
key = "/run/secrets/sentinel-key"
server_name = "::1"
[log]
level = "debug"
format = "json"
[address]
descriptors = ["ip", "peer"]
ipv6_prefix = 48
[lease]
target = "2s"
ttl = "3s"
slack = 0.5
min = 2
max = 300
initial = 4
[[rule]]
name = "all"
match = { user = ["a", "b*"], ip = "10.0.0.0/8" }
limit = "100/minute"
burst = 7
algorithm = "token_bucket"
timezone = "Europe/Berlin"
key = ["user"]
warn_at = 0.5
shadow = true
on_store_failure = "allow"
mode = "exact"
lease = { target = "20ms", ttl = "30ms", slack = 1, min = 5, max = 600, initial = 7 }
override = [
  { match = { user = "b1" }, limit = "5/s", burst = 6 },
  { match = { user = "b2" }, limit = "unlimited" },
]
[[bypass]]
match = { path = "/health" }
[[bypass]]
match = { peer = ["::1", "127.0.0.0/8"] }
)";

}  // namespace sluice::config
