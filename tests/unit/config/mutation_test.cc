// Aim: no file, however broken, crashes or hangs the loader; it loads or it gives problems.
// Method: 2,000 random mutations of a good file and random bytes, from a fixed seed (printed with a failure).
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "config/load.h"

namespace sluice::config {
namespace {

constexpr std::uint64_t kSeed = 20240601;

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }
  char byte() { return static_cast<char>(below(256)); }

  /// One small damage of a random kind.
  void damage(std::string& text) {
    if (text.empty()) text = "x";
    const std::size_t at = below(text.size());
    const std::size_t length = below(20);
    constexpr std::string_view kSyntax = "[]{}=.,\"'#\n\\ 09-+_:";
    switch (below(6)) {
      case 0:
        text[at] = byte();
        break;
      case 1:
        text[at] = kSyntax[below(kSyntax.size())];
        break;
      case 2:
        text.insert(at, 1, kSyntax[below(kSyntax.size())]);
        break;
      case 3:
        text.erase(at, length);
        break;
      case 4:
        text.insert(below(text.size()), text.substr(at, length * 10));
        break;
      default:
        text.resize(at);
        break;
    }
  }

 private:
  std::mt19937_64 random_;
};

void expect_answer(const std::string& text, int round) {
  const auto config = load_text(text, "sluice.toml");
  if (config) {
    EXPECT_NE(config->policy, nullptr) << "seed " << kSeed << " round " << round;
    return;
  }
  ASSERT_FALSE(config.error().empty()) << "seed " << kSeed << " round " << round;
  for (const Problem& problem : config.error()) {
    EXPECT_FALSE(problem.message.empty()) << "seed " << kSeed << " round " << round << '\n' << text;
    EXPECT_GT(problem.line, 0U) << "seed " << kSeed << " round " << round << '\n' << text;
  }
}

TEST(Mutations, LoadOrGiveProblems) {
  const std::string good = reference_toml();
  Mutator mutator(kSeed);
  int loaded = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string text = good;
    for (std::size_t i = mutator.below(4); i < 4; ++i) mutator.damage(text);
    expect_answer(text, round);
    loaded += load_text(text, "sluice.toml") ? 1 : 0;
  }
  // Both happen, or the mutations would test nothing.
  EXPECT_GT(loaded, 20);
  EXPECT_LT(loaded, 1980);
}

TEST(Mutations, RandomBytesGiveProblems) {
  Mutator mutator(kSeed);
  for (int round = 0; round < 500; ++round) {
    std::string text(1 + mutator.below(300), '\0');
    for (char& byte : text) byte = mutator.byte();
    expect_answer(text, round);
  }
}

}  // namespace
}  // namespace sluice::config
