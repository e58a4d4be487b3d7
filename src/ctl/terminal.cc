#include "ctl/terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/time.h"
#include "ctl/blocking_io.h"
#include "ctl/screen.h"

namespace sluice::ctl {
namespace {

constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l";
constexpr std::string_view kLeave = "\x1b[?25h\x1b[?1049l";

void write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // the terminal is gone; its end of the input will be seen
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): there is one thread
  return value == nullptr ? "" : value;
}

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = variable(name);
    if (value.empty()) continue;
    return value.find("UTF-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

/// Whether what was typed asks to leave.
bool typed_leave() {
  constexpr char kCtrlC = '\x03';
  std::array<char, 64> typed{};
  const ssize_t got = read(STDIN_FILENO, typed.data(), typed.size());
  if (got < 0) return errno != EINTR && errno != EAGAIN;
  if (got == 0) return true;
  const std::string_view keys(typed.data(), static_cast<std::size_t>(got));
  return keys.find_first_of(std::string{'q', 'Q', kCtrlC}) != std::string_view::npos;
}

}  // namespace

ScreenForm screen_form() {
  ScreenForm form;
  winsize size{};
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    form.columns = size.ws_col;
    form.rows = size.ws_row;
  }
  if (terminal && variable("NO_COLOR").empty() && variable("TERM") != "dumb") form.colour = Colour::on;
  if (locale_is_utf8()) form.charset = Charset::utf8;
  return form;
}

bool is_interactive() {
  return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && variable("TERM") != "dumb";
}

Result<Terminal> Terminal::take() {
  termios before{};
  if (tcgetattr(STDIN_FILENO, &before) != 0)
    return failure("the terminal cannot be set up: " + system_error());
  sigset_t caught;
  sigset_t mask_before;
  sigemptyset(&caught);
  for (const int number : {SIGWINCH, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&caught, number);
  const int signals = signalfd(-1, &caught, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals < 0) return failure("signalfd: " + system_error());
  sigprocmask(SIG_BLOCK, &caught, &mask_before);
  termios raw = before;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  raw.c_cc[VSUSP] = _POSIX_VDISABLE;  // a stopped program would leave the terminal as it is
  tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  write_all(kEnter);
  return Terminal(signals, mask_before, before);
}

Terminal::Terminal(Terminal&& other) noexcept
    : signals_(std::exchange(other.signals_, -1)), mask_before_(other.mask_before_), before_(other.before_) {}

Terminal::~Terminal() {
  if (signals_ < 0) return;
  write_all(kLeave);
  tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  close(signals_);
  sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
}

void Terminal::show(std::string_view lines) {
  // Each line is cleared before it is written, the last one with all that is below: nothing flickers, and a
  // character in the last column stays, which clearing after it would take away.
  std::string out = "\x1b[H";
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const bool last = end + 1 >= lines.size();
    out.append(last ? "\x1b[J" : "\x1b[K").append(lines.substr(0, end)).append(last ? "" : "\r\n");
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  write_all(out);
}

Wake Terminal::wait(Duration time) {
  const auto end = std::chrono::steady_clock::now() + time;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return Wake::time;
    std::array<pollfd, 2> sources{{{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
                                   {.fd = signals_, .events = POLLIN, .revents = 0}}};
    const int ready = poll(sources.data(), sources.size(), static_cast<int>(left.count()));
    if (ready < 0 && errno != EINTR) return Wake::leave;
    if (ready <= 0) continue;
    signalfd_siginfo caught{};
    if (read(signals_, &caught, sizeof caught) == static_cast<ssize_t>(sizeof caught)) {
      return caught.ssi_signo == SIGWINCH ? Wake::resized : Wake::leave;
    }
    if (sources[0].revents != 0 && typed_leave()) return Wake::leave;
  }
}

}  // namespace sluice::ctl
