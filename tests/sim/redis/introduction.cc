#include "sim/redis/introduction.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "sim/redis/client.h"
#include "sim/redis/command_table.h"
#include "sim/redis/numbers.h"
#include "sim/redis/value.h"

namespace sluice::sim {
namespace {

Value wrong_password() {
  return Value::error("WRONGPASS invalid username-password pair or user is disabled.");
}

/// The only user is the default one.
bool let_in(Client& client, std::string_view user, std::string_view given, std::string_view password) {
  const bool right = user == "default" && (password.empty() || given == password);
  if (right) client.authenticated = true;
  return right;
}

struct Hello {
  std::optional<Resp> version{};
  std::optional<std::string_view> user{};
  std::string_view password{};
  std::optional<std::string_view> name{};
};

/// The error, if there is one.
std::optional<Value> parse(Words words, Hello& hello) {
  if (words.size() < 2) return std::nullopt;
  const auto version = integer_of(words[1]);
  if (!version) return Value::error("ERR Protocol version is not an integer or out of range");
  if (*version < 2 || *version > 3) return Value::error("NOPROTO unsupported protocol version");
  hello.version = *version == 2 ? Resp::two : Resp::three;
  for (std::size_t i = 2; i < words.size(); ++i) {
    const std::size_t more = words.size() - i - 1;
    if (equals_ignoring_case(words[i], "auth") && more >= 2) {
      hello.user = words[i + 1];
      hello.password = words[i + 2];
      i += 2;
    } else if (equals_ignoring_case(words[i], "setname") && more >= 1) {
      hello.name = words[++i];
    } else {
      return Value::error("ERR Syntax error in HELLO option '" + std::string(words[i]) + "'");
    }
  }
  return std::nullopt;
}

Value introduced(const Client& client, const Introduction& self) {
  Value map;
  map.kind = Value::Kind::map;
  const auto add = [&map](std::string_view name, Value value) {
    map.items.push_back(Value::bulk(std::string(name)));
    map.items.push_back(std::move(value));
  };
  add("server", Value::bulk("redis"));
  add("version", Value::bulk("7.0.15"));
  add("proto", Value::of(static_cast<std::int64_t>(client.version)));
  add("id", Value::of(static_cast<std::int64_t>(client.id)));
  add("mode", Value::bulk(std::string(self.mode)));
  if (self.mode != "sentinel") add("role", Value::bulk(std::string(self.role)));
  add("modules", Value::array({}));
  return map;
}

Value subscription(std::string_view kind, std::optional<std::string_view> channel, const Client& client) {
  return Value::array({Value::bulk(std::string(kind)), channel ? Value::bulk(std::string(*channel)) : Value{},
                       Value::of(static_cast<std::int64_t>(client.channels.size()))});
}

/// All answers but the last go ahead of the one that is returned.
Value last_of(Client& client, std::vector<Value> answers) {
  Value last = std::move(answers.back());
  answers.pop_back();
  client.more = std::move(answers);
  return last;
}

}  // namespace

Value answer_hello(Client& client, Words words, const Introduction& self) {
  Hello hello;
  if (auto error = parse(words, hello)) return *std::move(error);
  if (hello.user && !let_in(client, *hello.user, hello.password, self.password)) return wrong_password();
  if (!client.authenticated && !self.password.empty()) {
    return Value::error(
        "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO AUTH <user> "
        "<pass> option can be used to authenticate the client and select the RESP protocol version at the "
        "same time");
  }
  if (hello.name && !set_name(client, *hello.name)) return bad_name();
  if (hello.version) client.version = *hello.version;
  return introduced(client, self);
}

Value answer_auth(Client& client, Words words, std::string_view password) {
  constexpr std::size_t kMostWords = 3;
  if (words.size() > kMostWords) return Value::error("ERR syntax error");
  const bool named = words.size() == kMostWords;
  if (!named && password.empty()) {
    return Value::error(
        "ERR AUTH <password> called without any password configured for the default user. Are you sure your "
        "configuration is correct?");
  }
  const std::string_view user = named ? words[1] : "default";
  return let_in(client, user, words.back(), password) ? Value::ok() : wrong_password();
}

Value answer_old_auth(Client& client, Words words, std::string_view password) {
  if (words.size() != 2) return wrong_arity("auth");
  if (password.empty()) return Value::error("ERR Client sent AUTH, but no password is set");
  return let_in(client, "default", words[1], password) ? Value::ok() : Value::error("ERR invalid password");
}

bool set_name(Client& client, std::string_view name) {
  if (!std::ranges::all_of(name, [](char c) { return c >= '!' && c <= '~'; })) return false;
  client.name = name;
  return true;
}

Value bad_name() {
  return Value::error("ERR Client names cannot contain spaces, newlines or special characters.");
}

Value answer_subscribe(Client& client, Words words) {
  std::vector<Value> answers;
  for (const std::string_view channel : words.subspan(1)) {
    if (std::ranges::find(client.channels, channel) == client.channels.end())
      client.channels.emplace_back(channel);
    answers.push_back(subscription("subscribe", channel, client));
  }
  return last_of(client, std::move(answers));
}

Value answer_unsubscribe(Client& client, Words words) {
  std::vector<std::string> channels(words.begin() + 1, words.end());
  if (channels.empty()) channels = client.channels;
  std::vector<Value> answers;
  for (const std::string& channel : channels) {
    std::erase(client.channels, channel);
    answers.push_back(subscription("unsubscribe", channel, client));
  }
  if (answers.empty()) answers.push_back(subscription("unsubscribe", std::nullopt, client));
  return last_of(client, std::move(answers));
}

}  // namespace sluice::sim
