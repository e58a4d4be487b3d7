// The commands that are about the connection.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/redis/client.h"
#include "sim/redis/command_table.h"
#include "sim/redis/engine.h"
#include "sim/redis/introduction.h"
#include "sim/redis/numbers.h"
#include "sim/redis/replies.h"
#include "sim/redis/value.h"

namespace sluice::sim {

Value Engine::ping(Client& client, Words words) {
  if (words.size() > 2) return wrong_arity("ping");
  std::string text(words.size() > 1 ? words[1] : "");
  if (!client.channels.empty() && client.version == Resp::two)
    return Value::array({Value::bulk("pong"), Value::bulk(std::move(text))});
  return words.size() > 1 ? Value::bulk(std::move(text)) : Value::status("PONG");
}

Value Engine::hello(Client& client, Words words) {
  const Introduction self{.password = options_.password,
                          .mode = slots_ ? "cluster" : "standalone",
                          .role = host_.is_replica() ? "replica" : "master"};
  return answer_hello(client, words, self);
}

// NOLINTNEXTLINE(readability-make-member-function-const): the table of commands takes all of one type
Value Engine::auth(Client& client, Words words) {
  return options_.knows_resp3 ? answer_auth(client, words, options_.password)
                              : answer_old_auth(client, words, options_.password);
}

Value Engine::client_setname(Client& client, Words words) {
  return set_name(client, words[2]) ? Value::ok() : bad_name();
}

Value Engine::client_getname(Client& client, Words /*words*/) {
  return client.name.empty() ? Value{} : Value::bulk(client.name);
}

Value Engine::client_id(Client& client, Words /*words*/) {
  return Value::of(static_cast<std::int64_t>(client.id));
}

Value Engine::select(Client& /*client*/, Words words) {
  // As with "databases 1".
  const auto index = integer_of(words[1]);
  if (!index) return not_an_integer();
  return *index == 0 ? Value::ok() : Value::error("ERR DB index is out of range");
}

Value Engine::quit(Client& client, Words /*words*/) {
  client.closing = true;
  return Value::ok();
}

Value Engine::subscribe(Client& client, Words words) {
  return answer_subscribe(client, words);
}

Value Engine::unsubscribe(Client& client, Words words) {
  return answer_unsubscribe(client, words);
}

Value Engine::asking(Client& client, Words /*words*/) {
  if (!slots_) return Value::error("ERR This instance has cluster support disabled");
  client.asking = true;
  return Value::ok();
}

Value Engine::readonly(Client& /*client*/, Words /*words*/) {
  return slots_ ? Value::ok() : Value::error("ERR This instance has cluster support disabled");
}

}  // namespace sluice::sim
