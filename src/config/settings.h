// What one configuration file says, checked. Plain data; no TOML in here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "rules/spec.h"

namespace sluice::config {

struct Settings {
  struct Server {
    std::string socket;
    std::uint32_t socket_mode = 0;
    std::optional<std::int64_t> socket_gid;
    std::string tcp;    ///< empty: no TCP listener
    std::string admin;  ///< empty: no metrics, no page
    Duration max_wait{};
    std::int64_t max_connections = 0;
    Duration
        request_timeout{};  ///< for a request that has begun to arrive, and for a client to take its answers
  } server;
  struct Store {
    std::string kind;           ///< memory | redis
    std::string prefix;         ///< of all keys in a shared store
    std::int64_t max_keys = 0;  ///< of counters; with redis of keys that the daemon knows at a time

    struct Login {
      std::string username;       ///< empty: the server's default user; else there is a password, too
      std::string password_file;  ///< absolute; empty: no password
    };
    /// The files are absolute, or empty where they were not given.
    struct Tls {
      bool on = false;  ///< the file has the table, be it empty
      std::string ca;   ///< empty: the system's authorities
      std::string cert;
      std::string key;          ///< both or none of these two
      std::string server_name;  ///< empty: the host that is dialled
    };
    /// Filled whatever `kind` is. With kind redis it makes sense as a whole.
    struct Redis {
      std::string topology;  ///< single | shards | sentinel | cluster
      /// single: one address. shards: addresses, or names and addresses as ShardAddress::parse takes them.
      /// sentinel: names of masters. cluster: addresses. None is there twice.
      std::vector<std::string> shards;
      std::vector<std::string> sentinels;  ///< addresses, with topology sentinel
      Login login;
      Tls tls;
      Login sentinel_login;
      Tls sentinel_tls;
      Duration connect_timeout{};
      Duration timeout{};         ///< of one command
      Duration repair_timeout{};  ///< for other daemons after a failover
    } redis;
  } store;
  struct Log {
    std::string level;   ///< debug | info | warn | error
    std::string format;  ///< text | json
  } log;
  struct Observe {
    bool show_keys = false;
    std::int64_t top = 0;                 ///< counters for each rule and kind of list
    std::int64_t denials_per_minute = 0;  ///< of one key; more raise an event. 0: never
    std::string webhook;                  ///< a URL, perhaps with a secret in it; empty: none
    Duration webhook_timeout{};
    std::int64_t webhook_max_per_minute = 0;
    bool operator==(const Observe&) const = default;
  } observe;
  struct Http {
    std::string legacy_headers;     ///< delta | epoch | off
    std::string ratelimit_headers;  ///< draft8 | draft12 | both | draft7 | draft6 | off
    bool retry_after = false;
    bool warning = false;
    bool problem_json = false;
    int deny_status = 0;                       ///< 400…599
    std::string deny_status_header;            ///< empty: none may override deny_status
    std::vector<std::string> trusted_proxies;  ///< addresses and CIDR blocks
    std::string address_header;                ///< x-forwarded-for | forwarded | x-real-ip | cf-connecting-ip
    std::vector<std::string> routes;

    /// Which request header a descriptor's value is taken from.
    struct Header {
      std::string descriptor;
      std::string header;
      bool operator==(const Header&) const = default;
    };
    /// Every name of the lists is one of `headers` or, but for `hashed`, "ip": the client's address.
    struct Descriptors {
      std::vector<std::string> order;   ///< no name twice; "ip" only as the last
      std::vector<std::string> always;  ///< no name twice, none of `order`
      std::vector<Header> headers;      ///< by name of the descriptor; never "ip"
      std::vector<std::string> hashed;
      std::vector<std::string> path_headers;
      std::vector<std::string> method_headers;
    } descriptors;
  } http;
  rules::PolicySpec policy;  ///< [address], [lease], rules and bypasses
};

}  // namespace sluice::config
