// The commands that simulated servers know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/value.h"

namespace sluice::sim {

struct Client;
class Engine;
using Words = std::span<const std::string_view>;

struct Command {
  enum Flag : std::uint16_t {
    write = 1,
    grows = 2,          ///< refused when out of memory ("denyoom")
    loading = 4,        ///< answered while loading
    not_in_script = 8,  ///< "noscript"
    busy = 16,          ///< answered while another client's script runs
    no_auth = 32,       ///< answered before AUTH
    keys_counted = 64,  ///< its keys are counted by its third word (EVAL)
    parent = 128,       ///< has subcommands, and is none itself
  };

  std::string_view name{};  ///< "client|setname"
  int words = 0;            ///< as Redis counts: the command itself included; negative: at least so many
  unsigned flags = 0;
  int first_key = 0;  ///< 0: it has none
  int last_key = 0;   ///< −1: the last word
  Value (Engine::*run)(Client&, Words) = nullptr;

  [[nodiscard]] bool has(Flag flag) const { return (flags & flag) != 0; }
  [[nodiscard]] bool takes(std::size_t count) const {
    return words < 0 ? count >= static_cast<std::size_t>(-words) : count == static_cast<std::size_t>(words);
  }
  [[nodiscard]] std::vector<std::string_view> keys(Words words_given) const;
};

/// By its first word or first two, in upper or lower case; null: there is none. Of a command with unknown
/// subcommand: the parent.
[[nodiscard]] const Command* find_command(Words words);

// The errors of those that are not carried out at all.
[[nodiscard]] Value unknown_command(Words words);
[[nodiscard]] Value unknown_subcommand(Words words);
[[nodiscard]] Value wrong_arity(std::string_view name);

[[nodiscard]] std::string lowered(std::string_view word);

}  // namespace sluice::sim
