#include "sim/world/books.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text.h"
#include "sim/check/conservation.h"
#include "sim/check/limits.h"
#include "sim/core/timeline.h"
#include "sim/network/network.h"
#include "sim/redis/observer.h"
#include "sim/world/plan.h"
#include "sim/world/states.h"

namespace sluice::sim {
namespace {

/// Reads "12" at the front of `text` and cuts it off.
std::optional<std::int64_t> cut_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// Of give_back's arguments, after the tokens: when they were debited, in microseconds.
constexpr std::size_t kGrantedAt = 8;
/// The same in the answer to a lease.
constexpr std::size_t kMoment = 7;

/// Of one process and history: the first two arguments of the counting scripts name it.
Holder holder_of(const ScriptRun& run) {
  const std::vector<std::string>& arguments = *run.arguments;
  return {.member = std::string(run.client),
          .counter = std::string(run.key),
          .history = arguments[0] + " " + arguments[1]};
}

/// Of whatever runs on that host, whatever becomes of the data.
Holder holder_of(HostId host, KeyId key) {
  return {.member = "host " + std::to_string(host), .counter = value_text(key)};
}

}  // namespace

std::string value_text(KeyId key) {
  return "v" + std::to_string(key.rule) + "." + std::to_string(key.value) + "v";
}

std::optional<KeyId> key_within(std::string_view text) {
  // The value comes last in the name of a counter.
  const std::size_t begin = text.rfind('v', text.empty() ? 0 : text.size() - 2);
  if (begin == std::string_view::npos) return std::nullopt;
  text.remove_prefix(begin + 1);
  const auto rule = cut_number(text);
  if (!rule || !text.starts_with('.')) return std::nullopt;
  text.remove_prefix(1);
  const auto value = cut_number(text);
  if (!value) return std::nullopt;
  return KeyId{.rule = static_cast<std::size_t>(*rule), .value = *value};
}

Books::Books(const Timeline& timeline, const Trace& trace, const Plan& plan, States& states)
    : timeline_(timeline), trace_(trace), plan_(plan), states_(states) {}

void Books::say(const std::string& what) const {
  if (trace_.printing()) trace_.say(timeline_.now(), "books", what);
}

void Books::admitted(KeyId key, std::int64_t cost) {
  admitted_tokens_ += cost;
  if (trace_.printing()) say(fmt::format("{} admitted {}", value_text(key), cost));
  keys_[key].admissions.push_back({.at = timeline_.now(), .cost = cost});
}

void Books::excuse(KeyId key, std::int64_t tokens) {
  if (trace_.printing()) say(fmt::format("{} excused {}", value_text(key), tokens));
  keys_[key].excuses.push_back({.at = timeline_.now(), .tokens = tokens});
}

/// Whether it can still matter to any interval of its limit.
bool Books::counts(const Debit& debit) const {
  const SimTime age = timeline_.now() - debit.at;
  for (const LimitFacts& limit : plan_.rules[debit.key.rule].limit) {
    SimTime full_again = 2 * limit.period;
    if (limit.burst > 0) full_again += limit.period * limit.burst / limit.tokens;
    if (age <= full_again) return true;
  }
  return false;
}

void Books::excuse_pending(Stream& stream, const std::function<bool(const Debit&)>& which) {
  std::erase_if(stream.pending, [&](const Debit& debit) {
    if (!which(debit)) return false;
    states_.reached(State::debits_excused);
    if (counts(debit)) excuse(debit.key, debit.tokens);
    return true;
  });
}

void Books::died(const std::string& member) {
  dead_.insert(member);
  say(member + " is dead");
  for (auto& [server, stream] : streams_) {
    excuse_pending(stream, [&](const Debit& debit) { return debit.member == member; });
  }
  excuse_doubted([&](const Debit& debit) { return debit.member == member; });
}

void Books::excuse_doubted(const std::function<bool(const Debit&)>& which) {
  std::erase_if(doubted_, [&](const Debit& debit) {
    if (!which(debit)) return false;
    if (counts(debit)) excuse(debit.key, debit.tokens);
    return true;
  });
}

void Books::lose(Stream& stream, std::vector<Debit> debits) {
  if (debits.empty()) return;
  states_.reached(State::debits_lost);
  lost_debits_ += debits.size();
  std::ranges::move(debits, std::back_inserter(stream.pending));
  excuse_pending(stream, [this](const Debit& debit) { return dead_.contains(debit.member); });
}

void Books::debit(const ScriptRun& run, KeyId key, std::int64_t tokens) {
  granted_tokens_ += tokens;
  Debit debit{.offset = run.offset,
              .key = key,
              .tokens = tokens,
              .member = std::string(run.client),
              .counter = std::string(run.key),
              .at = timeline_.now()};
  const HostId master = master_of_(run.server);
  if (master == run.server) {
    streams_[run.server].debits.push_back(std::move(debit));
    return;
  }
  states_.reached(State::split_brain_debit);
  lose(streams_[master], {std::move(debit)});
}

void Books::on_lease(const ScriptRun& run, KeyId key) {
  if (run.answer.size() < 3 || run.answer[0] != 0) {
    if (!run.answer.empty() && run.answer[0] == 3) states_.reached(State::lease_awaits_repair);
    return;
  }
  const std::int64_t tokens = run.answer[1] + run.answer[2];
  if (tokens == 0) return;
  Stream& stream = streams_[run.server];
  const bool any_lost = !stream.pending.empty() || !doubted_.empty();
  if (any_lost && master_of_(run.server) == run.server) {
    // By the server's clock, which may be slow or fast.
    const auto slowest = plan_.repair_timeout - plan_.repair_timeout / 1000 - std::chrono::milliseconds{2};
    const auto attached = std::ranges::find_if(
        stream.attached, [&](const auto& shard) { return run.key.starts_with(shard.first); });
    const bool in_time = attached != stream.attached.end() && timeline_.now() < attached->second + slowest;
    if (!in_time) states_.reached(State::repair_overdue);
    // Data that was emptied knows nobody, and nor does a daemon that has just started.
    const bool excused = in_time ? stream.knows_nobody : !plan_.gentle;
    const auto which = [&](const Debit& debit) { return excused && debit.key == key; };
    excuse_pending(stream, which);
    excuse_doubted(which);
  }
  debit(run, key, tokens);
  holdings_.granted(holder_of(run), tokens, run.answer.size() > kMoment ? run.answer[kMoment] : 0);
  holdings_.granted(holder_of(run.from, key), tokens, 0);
}

void Books::on_give_back(const ScriptRun& run, KeyId key) {
  const std::vector<std::string>& arguments = *run.arguments;
  if (run.answer.empty() || run.answer[0] != 0 || arguments.size() <= kGrantedAt) return;
  std::string_view text = arguments[kGrantedAt - 1];
  const std::int64_t tokens = cut_number(text).value_or(0);
  // Refunds do not say of which debit they are: nobody's. They may come long after whoever asked for them.
  if (arguments[kGrantedAt].empty()) return excuse(key, tokens);
  text = arguments[kGrantedAt];
  const std::int64_t named = cut_number(text).value_or(0);
  take(holder_of(run), tokens, "given back", named - oldest_within(key));
  take(holder_of(run.from, key), tokens, "given back", 0);
}

/// How much older than they say tokens may be that go back, in microseconds: lots that were merged go by the
/// one that ended first. Of exact limits and logs there are no lots, but answers of one moment.
std::int64_t Books::oldest_within(KeyId key) const {
  constexpr Duration kOneMoment = std::chrono::seconds{1};
  const RulePlan& rule = plan_.rules[key.rule];
  const bool held = !rule.exact && rule.limit[0].algorithm != LimitFacts::Algorithm::sliding_log;
  return std::chrono::ceil<std::chrono::microseconds>(held ? plan_.lease_ttl + kOneMoment : kOneMoment)
      .count();
}

void Books::spent(HostId host, KeyId key, std::int64_t cost) {
  // What is spent before the store knows of it is granted later.
  if (plan_.initial == 0) take(holder_of(host, key), cost, "spent", 0);
}

void Books::take(const Holder& holder, std::int64_t tokens, std::string_view what, std::int64_t since) {
  const auto too_many = holdings_.taken(holder, tokens, since);
  if (!too_many || made_up_) return;
  made_up_ =
      fmt::format("{} of {} tokens {} by {} were not granted to it{} or had been used before", *too_many,
                  holder.counter, what, holder.member, holder.history.empty() ? "" : " in this history");
}

void Books::on_script(const ScriptRun& run) {
  if (trace_.printing()) {
    say(fmt::format("{} {} {} by {}: {}, offset {}, asked {}", run.script, printable(run.key), run.server,
                    run.client, fmt::join(run.answer, " "), run.offset,
                    printable(fmt::format("{}", fmt::join(*run.arguments, " ")), 300)));
  }
  if (run.script == "attach" || run.script == "announce") {
    if (run.answer.empty()) return;
    Stream& stream = streams_[run.server];
    const bool done =
        run.script == "attach" ? run.answer.size() > 5 && run.answer[5] == 1 : run.answer[0] == 0;
    const std::string shard(run.key.substr(0, run.key.find("@meta")));
    if (run.script == "attach") stream.attached.try_emplace(shard, timeline_.now());
    if (!done) return;
    // It says that nothing of its own is lacking; should something lack after all, that is no excuse.
    std::erase_if(stream.pending, [&](const Debit& debit) {
      return debit.member == run.client && debit.counter.starts_with(shard);
    });
    return;
  }
  const auto key = key_within(run.key);
  if (!key || key->rule >= plan_.rules.size()) return;
  if (run.script == "lease") {
    last_asked_ = timeline_.now();
    on_lease(run, *key);
  }
  if (run.script == "give_back") on_give_back(run, *key);
  if (run.script == "rebook" && run.answer.size() > 1 && run.answer[0] == 0) {
    states_.reached(State::rebooked);
    debit(run, *key, run.answer[1]);
  }
}

void Books::on_history(HostId server, HostId old_master, std::uint64_t kept) {
  if (trace_.printing()) say(fmt::format("server {} begins with {} of {}", server, kept, old_master));
  Stream& old = streams_[old_master];
  Stream begun;
  std::vector<Debit> lost;
  for (const Debit& debit : old.debits) {
    if (debit.offset > kept) {
      if (debit.flushed_at == 0) lost.push_back(debit);
      continue;
    }
    begun.debits.push_back(debit);
    // What emptied the data may be lost itself.
    if (debit.flushed_at > kept) begun.debits.back().flushed_at = 0;
  }
  // Data that was emptied before stays so, unless that was lost as well; then it is excused too much.
  begun.knows_nobody = kept == 0 || old.knows_nobody;
  // One that is no master: all that it lacks was lost when it was replaced, or is in the other's data.
  const bool is_master = master_of_(server) == server;
  if (is_master) begun.pending = old.pending;
  if (is_master && server != old_master) {
    states_.reached(State::failed_over);
    old.pending.clear();
  }
  Stream& stream = streams_[server];
  stream = std::move(begun);
  if (!is_master) return;
  lose(stream, std::move(lost));
  doubt_all();
}

/// Where counters have moved nobody knows whose data lost which debits: all may be gone.
void Books::doubt_all() {
  if (!moved_) return;
  for (auto& [server, stream] : streams_) {
    for (Debit& debit : stream.debits) {
      if (!counts(debit)) continue;
      if (dead_.contains(debit.member)) {
        excuse(debit.key, debit.tokens);
      } else {
        doubted_.push_back(debit);
      }
    }
    stream.debits.clear();
  }
}

void Books::on_flush(HostId server, std::uint64_t offset) {
  Stream& stream = streams_[server];
  states_.reached(State::emptied);
  stream.attached.clear();
  stream.knows_nobody = true;
  std::vector<Debit> lost;
  for (Debit& debit : stream.debits) {
    if (debit.flushed_at != 0) continue;
    debit.flushed_at = offset;
    lost.push_back(debit);
  }
  lose(stream, std::move(lost));
  doubt_all();
}

}  // namespace sluice::sim
