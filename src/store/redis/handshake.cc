#include "store/redis/handshake.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "store/redis/command.h"
#include "store/redis/reply.h"

namespace sluice::store::redis {
namespace {

struct KnownError {
  std::string_view start;
  Handshake::State state;
  std::string_view meaning;
};

constexpr auto kRefused = Handshake::State::refused;
constexpr auto kFailed = Handshake::State::failed;
/// By how they begin; the first that fits counts.
constexpr std::array<KnownError, 9> kKnown = {{
    {"NOAUTH", kRefused, "the server wants a password, and none is configured"},
    {"WRONGPASS", kRefused, "the server does not accept the configured user name and password"},
    {"NOPERM", kRefused,
     "the configured user may not connect: its ACL lacks +hello, +auth or +client|setname"},
    {"ERR invalid password", kRefused, "the server does not accept the configured password"},
    {"ERR AUTH <password> called without", kRefused, "a password is configured, but the server has none"},
    {"ERR Client sent AUTH, but no password", kRefused, "a password is configured, but the server has none"},
    {"LOADING", kFailed, "the server is still loading its data"},
    {"ERR max number of clients", kFailed, "the server has as many clients as it takes"},
    {"DENIED", kRefused, "the server is in protected mode: it wants a password or a bind address"},
}};

/// "ERR", "NOPROTO": the first word of an error, if it is one of those words and nothing of the password.
std::string_view code_of(std::string_view error, std::string_view password) {
  const std::string_view word = error.substr(0, error.find(' '));
  const bool plain = !word.empty() && std::ranges::all_of(word, [](char c) { return c >= 'A' && c <= 'Z'; });
  constexpr std::size_t kLongestCode = 16;
  const bool secret = !password.empty() && word.contains(password);
  return plain && !secret && word.size() <= kLongestCode ? word : std::string_view("an error");
}

}  // namespace

Handshake::Step Handshake::begin() const {
  std::vector<std::string_view> hello = {"HELLO", "2"};
  if (!credentials_.password.empty()) {
    std::string_view user = credentials_.username;
    if (user.empty()) user = "default";
    hello.insert(hello.end(), {"AUTH", user, credentials_.password});
  }
  if (!credentials_.client_name.empty()) hello.insert(hello.end(), {"SETNAME", credentials_.client_name});
  Step step;
  append_command(step.send, hello);
  return step;
}

Handshake::Step Handshake::on_reply(const Reply& reply) {
  const bool is_error = reply.kind == Reply::Kind::error;
  const std::string_view error = is_error ? std::string_view(reply.text) : std::string_view();
  switch (asked_) {
    case Asked::hello:
      if (error.starts_with("ERR unknown command") || error.starts_with("NOPROTO")) return ask_the_old_way();
      break;
    case Asked::auth:
      if (is_error || credentials_.client_name.empty()) break;
      asked_ = Asked::name;  // sent along with AUTH
      return {};
    case Asked::name:
      // A name is for people who look at CLIENT LIST. Not to have one is no reason not to work.
      if (is_error && !error.starts_with("NOAUTH") && !error.starts_with("LOADING")) return introduced();
      break;
    case Asked::role:
      return judge_role(reply);
  }
  return is_error ? fail(error) : introduced();
}

Handshake::Step Handshake::introduced() {
  if (wanted_ == Role::any) return {.state = State::done};
  asked_ = Asked::role;
  Step step;
  append_command(step.send, std::array<std::string_view, 1>{"ROLE"});
  return step;
}

Handshake::Step Handshake::judge_role(const Reply& reply) const {
  if (reply.kind == Reply::Kind::error) {
    const bool will_not_tell =
        reply.text.starts_with("NOPERM") || reply.text.starts_with("ERR unknown command");
    return will_not_tell ? Step{.state = State::done} : fail(reply.text);
  }
  const std::string_view role = reply.items.empty() ? std::string_view() : reply.items.front().text;
  if (role == "master") return {.state = State::done};
  if (role == "slave") return {.state = State::failed, .reason = "is a replica"};
  return {.state = State::failed, .reason = fmt::format("is no master but a \"{}\"", printable(role))};
}

Handshake::Step Handshake::ask_the_old_way() {
  Step step;
  const bool named = !credentials_.client_name.empty();
  asked_ = Asked::name;
  if (!credentials_.password.empty()) {
    asked_ = Asked::auth;
    std::vector<std::string_view> auth = {"AUTH"};
    if (!credentials_.username.empty()) auth.emplace_back(credentials_.username);
    auth.emplace_back(credentials_.password);
    append_command(step.send, auth);
  }
  if (named)
    append_command(step.send, std::array<std::string_view, 3>{"CLIENT", "SETNAME", credentials_.client_name});
  return step.send.empty() ? introduced() : step;
}

Handshake::Step Handshake::fail(std::string_view error) const {
  const auto known =
      std::ranges::find_if(kKnown, [&](const auto& row) { return error.starts_with(row.start); });
  const std::string_view code = code_of(error, credentials_.password);
  if (known != kKnown.end())
    return {.state = known->state, .reason = fmt::format("{} ({})", known->meaning, code)};
  constexpr std::size_t kLongestQuote = 200;
  std::string reason = credentials_.password.empty()
                           ? fmt::format("the server answered: {}", printable(error, kLongestQuote))
                           : fmt::format("the server answered our introduction with {}", code);
  return {.state = State::failed, .reason = std::move(reason)};
}

}  // namespace sluice::store::redis
