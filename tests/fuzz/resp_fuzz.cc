// Fuzzes the RESP decoders. Promises: every way to cut the bytes gives the same commands or the same error;
// each complete command is progress; what was read, written again, reads the same.
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "fuzz/fuzz.h"
#include "unit/wire/cuts.h"
#include "unit/wire/resp_feed.h"
#include "wire/resp/reply_parser.h"
#include "wire/resp/reply_writer.h"
#include "wire/resp/request_parser.h"

namespace sluice::fuzz {
namespace {

using namespace wire::resp;

void fuzz_requests(std::string_view bytes) {
  // Small bounds put what lies beyond them within reach of small inputs.
  const RequestBounds small{
      .max_args = 8, .max_arg_bytes = 64, .max_command_bytes = 128, .max_inline_bytes = 48};
  for (const RequestBounds& bounds : {RequestBounds{}, small}) {
    const Outcome whole = feed(bytes, {}, bounds);
    SLUICE_ASSERT(whole.broken.empty());
    for (const auto& cuts : ways_to_cut(bytes)) SLUICE_ASSERT(feed(bytes, cuts, bounds) == whole);
    for (const auto& command : whole.commands) {
      SLUICE_ASSERT(command.size() <= bounds.max_args);
      for (const std::string& word : command) SLUICE_ASSERT(word.size() <= bounds.max_arg_bytes);
    }
  }
}

void fuzz_written_commands(std::string_view bytes) {
  const Outcome whole = feed(bytes, {});
  for (const auto& command : whole.commands) {
    if (command.empty()) continue;
    std::string written;
    append_command(written, {command.begin(), command.end()});
    const Outcome again = feed(written, {});
    SLUICE_ASSERT(again.commands.size() == 1 && again.commands[0] == command && again.left == 0);
  }
}

void write(const Value& value, ReplyWriter& writer) {
  switch (value.kind) {
    case Value::Kind::simple:
      return writer.simple(value.text);
    case Value::Kind::error:
      return writer.error(value.text);
    case Value::Kind::integer:
      return writer.integer(value.integer);
    case Value::Kind::bulk:
      return writer.bulk(value.text);
    case Value::Kind::null:
      return writer.null();
    case Value::Kind::boolean:
      return writer.boolean(value.integer != 0);
    case Value::Kind::number:
      return writer.number(value.number);
    case Value::Kind::array:
      writer.array(value.items.size());
      break;
    case Value::Kind::map:
      writer.map(value.items.size() / 2);
      break;
  }
  for (const Value& item : value.items) write(item, writer);
}

std::string written(const Value& value) {
  std::string bytes;
  ReplyWriter writer(bytes, Version::resp3);
  write(value, writer);
  return bytes;
}

void fuzz_written_reply(const Value& value) {
  const std::string bytes = written(value);
  const ReplyBounds wide{.max_bytes = 2 * bytes.size() + 1};
  Value again;
  std::size_t consumed = 0;
  std::string error;
  SLUICE_ASSERT(parse_reply(bytes, wide, again, consumed, error) == ParseStatus::complete);
  SLUICE_ASSERT(consumed == bytes.size());
  SLUICE_ASSERT(written(again) == bytes);
}

void fuzz_replies(std::string_view bytes) {
  std::mt19937_64 random = numbers_of(bytes);
  const ReplyBounds small{.max_bytes = 128, .max_items = 8, .max_depth = 3};
  for (const ReplyBounds& bounds : {ReplyBounds{}, small}) {
    Value value;
    std::size_t consumed = 0;
    std::string error;
    const ParseStatus status = parse_reply(bytes, bounds, value, consumed, error);
    SLUICE_ASSERT((status == ParseStatus::complete) == (consumed > 0));
    SLUICE_ASSERT((status == ParseStatus::malformed) == !error.empty());
    SLUICE_ASSERT(consumed <= bytes.size() && consumed <= bounds.max_bytes);
    if (status == ParseStatus::complete) fuzz_written_reply(value);

    // What a shorter buffer decided, a longer one must not change.
    const wire::ExactCopy prefix(bytes.substr(0, random() % (bytes.size() + 1)));
    std::size_t prefix_consumed = 0;
    std::string prefix_error;
    const ParseStatus earlier = parse_reply(prefix.view(), bounds, value, prefix_consumed, prefix_error);
    if (earlier == ParseStatus::incomplete) continue;
    SLUICE_ASSERT(earlier == status && prefix_consumed == consumed && prefix_error == error);
  }
}

}  // namespace

void run(std::string_view bytes) {
  fuzz_requests(bytes);
  fuzz_written_commands(bytes);
  fuzz_replies(bytes);
}

}  // namespace sluice::fuzz
