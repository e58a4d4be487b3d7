// Aim: what a running daemon cannot take over is told, and nothing else. Method: one field after the other of
// a whole configuration is changed.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

#include "config/load.h"
#include "config/settings.h"
#include "everything.h"
#include "problems.h"

namespace sluice::config {
namespace {

using namespace std::chrono_literals;

TEST(NeedsRestart, NamesWhatARunningDaemonCannotTakeOver) {
  const auto config = load_text(kEverything, "sluice.toml");
  ASSERT_TRUE(config);
  struct Case {
    std::function<void(Settings&)> change;
    Texts names;
  };
  const std::vector<Case> cases{
      {[](Settings&) {}, {}},
      {[](Settings& s) { s.server.socket += 'x'; }, {"server.socket"}},
      {[](Settings& s) { s.server.socket_mode = 0; }, {"server.socket_mode"}},
      {[](Settings& s) { s.server.socket_gid.reset(); }, {"server.socket_gid"}},
      {[](Settings& s) { s.server.tcp.clear(); }, {"server.tcp"}},
      {[](Settings& s) { s.server.max_wait += 1ms; }, {}},
      {[](Settings& s) { ++s.server.max_connections; }, {}},
      {[](Settings& s) { s.server.request_timeout += 1s; }, {}},
      {[](Settings& s) { s.server.admin.clear(); }, {"server.admin"}},
      {[](Settings& s) { s.observe = {}; }, {}},
      {[](Settings& s) { s.store.kind = "other"; }, {"store.kind"}},
      {[](Settings& s) { s.store.prefix += 'x'; }, {"store.prefix"}},
      {[](Settings& s) { ++s.store.max_keys; }, {"store.max_keys"}},
      {[](Settings& s) { s.store.redis.topology += 'x'; }, {"store.redis.topology"}},
      {[](Settings& s) { s.store.redis.shards[0] += 'x'; }, {"store.redis.shards"}},
      {[](Settings& s) { s.store.redis.login.username.clear(); }, {"store.redis.username"}},
      {[](Settings& s) { s.store.redis.login.password_file += 'x'; }, {"store.redis.password_file"}},
      {[](Settings& s) { s.store.redis.sentinels.clear(); }, {"store.redis.sentinels"}},
      {[](Settings& s) { s.store.redis.tls.on = false; }, {"store.redis.tls"}},
      {[](Settings& s) { s.store.redis.sentinel_tls.on = false; }, {"store.redis.sentinel_tls"}},
      {[](Settings& s) { s.store.redis.sentinel_login.username += 'x'; },
       {"store.redis.sentinel_auth.username"}},
      {[](Settings& s) { s.store.redis.sentinel_login.password_file += 'x'; },
       {"store.redis.sentinel_auth.password_file"}},
      {[](Settings& s) { s.store.redis.tls.ca += 'x'; }, {"store.redis.tls.ca"}},
      {[](Settings& s) { s.store.redis.tls.cert += 'x'; }, {"store.redis.tls.cert"}},
      {[](Settings& s) { s.store.redis.tls.key += 'x'; }, {"store.redis.tls.key"}},
      {[](Settings& s) { s.store.redis.tls.server_name += 'x'; }, {"store.redis.tls.server_name"}},
      {[](Settings& s) { s.store.redis.sentinel_tls.ca += 'x'; }, {"store.redis.sentinel_tls.ca"}},
      {[](Settings& s) { s.store.redis.sentinel_tls.cert += 'x'; }, {"store.redis.sentinel_tls.cert"}},
      {[](Settings& s) { s.store.redis.sentinel_tls.key += 'x'; }, {"store.redis.sentinel_tls.key"}},
      {[](Settings& s) { s.store.redis.sentinel_tls.server_name += 'x'; },
       {"store.redis.sentinel_tls.server_name"}},
      {[](Settings& s) { s.store.redis.connect_timeout += 1ms; }, {"store.redis.connect_timeout"}},
      {[](Settings& s) { s.store.redis.timeout += 1ms; }, {"store.redis.timeout"}},
      {[](Settings& s) { s.store.redis.repair_timeout += 1ms; }, {"store.redis.repair_timeout"}},
      {[](Settings& s) { ++s.policy.lease.max; }, {}},
      {[](Settings& s) { s.log.level = "warn"; }, {}},
      {[](Settings& s) { s.log.format = "text"; }, {}},
      {[](Settings& s) { s.policy = {}; }, {}},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Settings wanted = config->settings;
    cases[i].change(wanted);
    EXPECT_EQ(needs_restart(config->settings, wanted), cases[i].names) << "case " << i;
  }
  EXPECT_EQ(needs_restart(Settings{}, config->settings).size(), 28U);
}

}  // namespace
}  // namespace sluice::config
