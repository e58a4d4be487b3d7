// What the comparisons of the simulated server with a real one share: the same command for both, and the same
// answer, error texts included, and the same values afterwards.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "property/limiter/walk.h"
#include "sim/redis/both_servers.h"
#include "store/redis/reply.h"

namespace sluice::sim::testing {

using limiter::testing::Dice;
using Words = std::vector<std::string>;

inline std::string joined(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += "'" + (word.size() > 200 ? "(script)" : word) + "' ";
  return text;
}

template <class T>
const T& one_of(Dice& dice, const std::vector<T>& choices) {
  return choices[static_cast<std::size_t>(dice.between(0, static_cast<std::int64_t>(choices.size()) - 1))];
}

class RedisAgrees : public ::testing::Test {
 protected:
  /// Compares the answers, and then what is under the keys.
  void step(const Words& words, bool sorts_answer = false) {
    auto answers = both_.ask(words);
    if (sorts_answer) {
      sort_pairs(answers.real);
      sort_pairs(answers.simulated);
    }
    ASSERT_EQ(shown(answers.simulated), shown(answers.real)) << joined(words);
    ++(answers.real.kind == store::redis::Reply::Kind::error ? errors_ : answers_);
    ASSERT_NO_FATAL_FAILURE(compare_contents(words));
  }

  void compare_contents(const Words& words) {
    const auto real = both_.real_contents(keys_);
    const auto simulated = both_.simulated_contents(keys_);
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      ASSERT_EQ(simulated.values[i], real.values[i]) << keys_[i] << " after " << joined(words);
      if (real.lives[i] < 0) {
        ASSERT_EQ(simulated.lives[i], real.lives[i]) << keys_[i] << " after " << joined(words);
      } else {
        ASSERT_LE(std::llabs(simulated.lives[i] - real.lives[i]), 1000)
            << keys_[i] << " after " << joined(words);
      }
    }
  }

  static void sort_pairs(store::redis::Reply& reply) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i + 1 < reply.items.size(); i += 2)
      texts.push_back(reply.items[i].text + "=" + reply.items[i + 1].text);
    std::ranges::sort(texts);
    if (reply.kind != store::redis::Reply::Kind::array) return;
    reply.items.clear();
    for (std::string& text : texts) reply.items.push_back({.kind = reply.kind, .text = text});
  }

  BothServers both_;
  Words keys_ = {"a", "b", "h", "i"};
  std::uint64_t answers_ = 0;
  std::uint64_t errors_ = 0;
};

}  // namespace sluice::sim::testing
