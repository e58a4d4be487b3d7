// Aim: no bytes whatever crash the parsers, make them read past the buffer, or make the outcome depend on how
// the bytes were cut. Method: 200,000 random mutations of valid streams, each parsed whole and in random
// chunks, with a fixed seed.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "unit/wire/resp_feed.h"
#include "wire/resp/reply_parser.h"
#include "wire/resp/request_parser.h"

namespace sluice::wire::resp {
namespace {

constexpr int kMutations = 200'000;

/// Bytes that mean something to RESP, so that mutations reach deeper than the first check.
constexpr std::string_view kTelling = "*$+-:%~>_#,(!=|\r\n 0123459tf\t\"x\0";

void mutate(std::string& bytes, std::mt19937_64& random) {
  for (std::uint64_t left = 1 + random() % 4; left > 0 && !bytes.empty(); --left) {
    const std::size_t at = random() % bytes.size();
    switch (random() % 6) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes[at] = kTelling[random() % kTelling.size()];
        break;
      case 2:
        bytes.insert(at, 1, kTelling[random() % kTelling.size()]);
        break;
      case 3:
        bytes.erase(at, 1 + random() % 4);
        break;
      case 4:
        bytes.resize(at);
        break;
      default:
        bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 16));
        break;
    }
  }
}

TEST(RespMutation, requests_have_one_outcome_in_every_chunking) {
  constexpr std::array<std::string_view, 4> kSeeds{
      "*4\r\n$5\r\nCHECK\r\n$8\r\nuser=123\r\n$4\r\nCOST\r\n$1\r\n1\r\n*1\r\n$4\r\nPING\r\n",
      "PING\r\n*2\r\n$4\r\nECHO\r\n$12\r\na\r\nb$1\r\nc*1\r\n\r\n\r\nCHECK a=1\tb=2\n",
      "*0\r\n*-1\r\n*01\r\n$004\r\nPING\r\n*2\r\n$0\r\n\r\n$0\r\n\r\n",
      "CHECK user=1 path=/a/b COST 2\r\nPEEK x=y\n*1\r\n$4\r\nQUIT\r\n",
  };
  const RequestBounds bounds{
      .max_args = 6, .max_arg_bytes = 40, .max_command_bytes = 90, .max_inline_bytes = 40};
  std::mt19937_64 random(42);
  std::size_t commands = 0;
  std::size_t errors = 0;
  for (int i = 0; i < kMutations; ++i) {
    std::string bytes(kSeeds[random() % kSeeds.size()]);
    mutate(bytes, random);
    const Outcome whole = feed(bytes, {}, bounds);
    ASSERT_EQ(whole.broken, "") << "mutation " << i;
    ASSERT_EQ(feed(bytes, random_cuts(bytes.size(), 1 + random() % 40, random), bounds), whole)
        << "mutation " << i;
    commands += whole.commands.size();
    if (!whole.error.empty()) ++errors;
  }
  EXPECT_GT(commands, static_cast<std::size_t>(kMutations) / 2) << "the mutations break everything";
  EXPECT_GT(errors, static_cast<std::size_t>(kMutations) / 4) << "the mutations break nothing";
}

struct ReplyOutcome {
  ParseStatus status;
  std::size_t consumed = 0;
  std::string error;
  bool operator==(const ReplyOutcome&) const = default;
};

ReplyOutcome parse(std::string_view bytes, const ReplyBounds& bounds) {
  const ExactCopy copy(bytes);
  Value value;
  ReplyOutcome outcome{.status = ParseStatus::incomplete, .consumed = 0, .error = {}};
  outcome.status = parse_reply(copy.view(), bounds, value, outcome.consumed, outcome.error);
  return outcome;
}

// The reply parser starts again on every call, so "however cut" means: a longer buffer never changes a
// decided outcome.
TEST(RespMutation, replies_have_one_outcome_in_every_chunking) {
  constexpr std::array<std::string_view, 4> kSeeds{
      "*6\r\n:1\r\n:100\r\n:99\r\n:0\r\n:60000\r\n$8\r\nper-user\r\n",
      "%3\r\n+allowed\r\n#t\r\n$4\r\nrate\r\n,1.5e3\r\n$1\r\nx\r\n_\r\n",
      "|1\r\n+ttl\r\n:5\r\n~3\r\n(123456789012345678901\r\n=6\r\ntxt:ab\r\n!5\r\nERR x\r\n",
      ">2\r\n+push\r\n*2\r\n*1\r\n*0\r\n$-1\r\n",
  };
  const ReplyBounds bounds{.max_bytes = 80, .max_items = 8, .max_depth = 3};
  std::mt19937_64 random(43);
  std::array<int, 3> seen{};
  for (int i = 0; i < kMutations; ++i) {
    std::string bytes(kSeeds[random() % kSeeds.size()]);
    mutate(bytes, random);
    const ReplyOutcome whole = parse(bytes, bounds);
    ++seen.at(static_cast<std::size_t>(whole.status));
    ASSERT_EQ(whole.status == ParseStatus::complete, whole.consumed > 0) << "mutation " << i;
    ASSERT_LE(whole.consumed, bytes.size()) << "mutation " << i;
    ASSERT_EQ(whole.status == ParseStatus::malformed, !whole.error.empty()) << "mutation " << i;
    for (int j = 0; j < 3; ++j) {
      const ReplyOutcome part =
          parse(std::string_view(bytes).substr(0, random() % (bytes.size() + 1)), bounds);
      if (part.status == ParseStatus::incomplete) continue;
      ASSERT_EQ(part, whole) << "mutation " << i;
    }
  }
  for (const int count : seen) EXPECT_GT(count, kMutations / 50);
}

}  // namespace
}  // namespace sluice::wire::resp
