#include "server/limit_commands.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/text.h"
#include "base/time.h"
#include "engine/engine.h"
#include "server/commands.h"
#include "server/connection_commands.h"
#include "wire/resp/reply_writer.h"

namespace sluice::server {
namespace {

/// The arguments of CHECK and its siblings.
struct Arguments {
  std::array<engine::Descriptor, engine::kMaxDescriptors> descriptors;
  std::size_t count = 0;
  std::int64_t cost = 1;
};

std::optional<std::int64_t> parse_cost(std::string_view text) {
  const auto cost = parse_int(text);
  if (!cost || !engine::valid_cost(*cost)) return std::nullopt;
  return cost;
}

std::string bad_cost(std::string_view what, std::string_view text) {
  return "ERR " + std::string(what) + " must be a whole number from 0 to 9007199254740991, not \"" +
         printable(text) + "\"";
}

/// Adds one name=value; the error is for the client.
std::optional<std::string> add_descriptor(std::string_view word, Arguments& into) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return "ERR \"" + printable(word) + "\" is not name=value";
  }
  if (into.count == into.descriptors.size()) {
    return "ERR more than " + std::to_string(engine::kMaxDescriptors) + " descriptors";
  }
  const engine::Descriptor descriptor{.name = word.substr(0, equals), .value = word.substr(equals + 1)};
  for (std::size_t i = 0; i < into.count; ++i) {
    if (into.descriptors[i].name == descriptor.name) {
      return "ERR descriptor \"" + printable(descriptor.name) + "\" is given twice";
    }
  }
  into.descriptors[into.count++] = descriptor;
  return std::nullopt;
}

std::expected<Arguments, std::string> parse_arguments(Words words) {
  Arguments arguments;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (equals_ignoring_case(words[i], "COST")) {
      if (i + 2 != words.size()) return std::unexpected("ERR COST and its number come last: … COST n");
      const auto cost = parse_cost(words[i + 1]);
      if (!cost) return std::unexpected(bad_cost("COST", words[i + 1]));
      arguments.cost = *cost;
      break;
    }
    if (auto error = add_descriptor(words[i], arguments)) return std::unexpected(*error);
  }
  if (arguments.count == 0) return std::unexpected("ERR at least one name=value is needed");
  return arguments;
}

CommandOutcome finish(const engine::CheckResult* result, CommandContext& context) {
  if (result == nullptr) return CommandOutcome::waiting;
  write_answer(*result, context.form, context.out);
  return CommandOutcome::answered;
}

CommandOutcome fail(const std::string& error, CommandContext& context) {
  wire::resp::ReplyWriter(context.out, context.connection.protocol).error(error);
  return CommandOutcome::answered;
}

CommandOutcome operate(engine::Operation operation, AnswerForm::Kind kind, Words words,
                       CommandContext& context) {
  const auto arguments = parse_arguments(words);
  if (!arguments) return fail(arguments.error(), context);
  context.form = {.kind = kind, .protocol = context.connection.protocol};
  const std::span<const engine::Descriptor> descriptors(arguments->descriptors.data(), arguments->count);
  return finish(context.engine.run(operation, descriptors, arguments->cost, context.sink, context.tag),
                context);
}

void write_decision(const engine::Decision& decision, wire::resp::Version protocol, std::string& out) {
  wire::resp::ReplyWriter reply(out, protocol);
  const std::int64_t retry = ceil_milliseconds(decision.retry_after);
  const std::int64_t reset = ceil_milliseconds(decision.reset_after);
  if (protocol == wire::resp::Version::resp2) {
    reply.array(6);
    reply.integer(decision.allowed ? 1 : 0);
    reply.integer(decision.limit);
    reply.integer(decision.remaining);
    reply.integer(retry);
    reply.integer(reset);
    reply.bulk(decision.rule);
    return;
  }
  reply.map(8);
  reply.bulk("allowed");
  reply.boolean(decision.allowed);
  reply.bulk("limit");
  reply.integer(decision.limit);
  reply.bulk("remaining");
  reply.integer(decision.remaining);
  reply.bulk("retry_after_ms");
  reply.integer(retry);
  reply.bulk("reset_after_ms");
  reply.integer(reset);
  reply.bulk("rule");
  reply.bulk(decision.rule);
  reply.bulk("warning");
  reply.boolean(decision.warning);
  reply.bulk("degraded");
  reply.boolean(decision.degraded);
}

void write_throttle(const engine::Decision& decision, wire::resp::Version protocol, std::string& out) {
  wire::resp::ReplyWriter reply(out, protocol);
  reply.array(5);
  reply.integer(decision.allowed ? 0 : 1);
  reply.integer(decision.limit);
  reply.integer(decision.remaining);
  reply.integer(decision.allowed ? -1 : ceil_seconds(decision.retry_after));
  reply.integer(ceil_seconds(decision.reset_after));
}

}  // namespace

void write_answer(const engine::CheckResult& result, AnswerForm form, std::string& out) {
  switch (form.kind) {
    case AnswerForm::Kind::decision:
      write_decision(result.overall, form.protocol, out);
      break;
    case AnswerForm::Kind::throttle:
      write_throttle(result.overall, form.protocol, out);
      break;
    case AnswerForm::Kind::reset:
      wire::resp::ReplyWriter(out, form.protocol).integer(engine::counters_of(result));
      break;
  }
}

CommandOutcome check_command(Words words, CommandContext& context) {
  return operate(engine::Operation::check, AnswerForm::Kind::decision, words, context);
}

CommandOutcome peek_command(Words words, CommandContext& context) {
  return operate(engine::Operation::peek, AnswerForm::Kind::decision, words, context);
}

CommandOutcome refund_command(Words words, CommandContext& context) {
  return operate(engine::Operation::refund, AnswerForm::Kind::decision, words, context);
}

CommandOutcome reset_command(Words words, CommandContext& context) {
  if (words.size() == 1) {
    reset_connection(context);
    return CommandOutcome::answered;
  }
  return operate(engine::Operation::reset, AnswerForm::Kind::reset, words, context);
}

CommandOutcome throttle_command(Words words, CommandContext& context) {
  std::array<std::int64_t, 4> numbers{0, 0, 0, 1};
  for (std::size_t i = 2; i < words.size(); ++i) {
    const auto number = parse_int(words[i]);
    if (!number) return fail("ERR Couldn't parse as integer: " + printable(words[i]), context);
    numbers[i - 2] = *number;
  }
  const std::int64_t quantity = numbers[3];
  if (!engine::valid_cost(quantity)) return fail(bad_cost("quantity", words[5]), context);
  context.form = {.kind = AnswerForm::Kind::throttle, .protocol = context.connection.protocol};
  const auto result = context.engine.throttle(
      words[1], {.max_burst = numbers[0], .count = numbers[1], .period_s = numbers[2]}, quantity,
      context.sink, context.tag);
  if (!result) return fail("ERR " + result.error().message, context);
  return finish(*result, context);
}

}  // namespace sluice::server
