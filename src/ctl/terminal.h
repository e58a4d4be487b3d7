// A terminal that a program has to itself for a while.
#pragma once

#include <sys/types.h>
#include <termios.h>

#include <csignal>
#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "ctl/screen.h"

namespace sluice::ctl {

/// What the standard output can show: its size where it is a terminal, colour unless NO_COLOR is set or TERM
/// is "dumb", UTF-8 if the locale's name says so.
[[nodiscard]] ScreenForm screen_form();

/// Standard input and output are a terminal that can be drawn on.
[[nodiscard]] bool is_interactive();

enum class Wake : std::uint8_t { time, resized, leave };

/// On construction: the alternate screen, no cursor, keys as they are typed; signals that would end the
/// program, and SIGWINCH, are caught. On destruction all is as before. One at a time.
class Terminal {
 public:
  [[nodiscard]] static Result<Terminal> take();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  Terminal(Terminal&& other) noexcept;
  Terminal& operator=(Terminal&& other) = delete;

  /// Draws lines, each ended by "\n", over what was there.
  void show(std::string_view lines);
  /// Until that time has passed, the size has changed, or the user wants to leave: q, Ctrl-C, the end of the
  /// input, or a signal.
  [[nodiscard]] Wake wait(Duration time);

 private:
  Terminal(int signals, const sigset_t& mask_before, const termios& before)
      : signals_(signals), mask_before_(mask_before), before_(before) {}

  int signals_;  ///< a signalfd; −1: moved from
  sigset_t mask_before_;
  termios before_;
};

}  // namespace sluice::ctl
