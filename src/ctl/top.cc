#include <chrono>
#include <expected>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/time.h"
#include "ctl/commands.h"
#include "ctl/dashboard.h"
#include "ctl/http_get.h"
#include "ctl/output.h"
#include "ctl/screen.h"
#include "ctl/terminal.h"

namespace sluice::ctl {
namespace {

constexpr Duration kBetween = std::chrono::seconds{1};

Result<std::string> fetch(const Options& options, const std::string& address) {
  auto reply = http_get(address, "/v1/stats", options.timeout);
  if (!reply) return std::unexpected(reply.error());
  constexpr int kOk = 200;
  if (reply->status != kOk) {
    return failure("HTTP status " + std::to_string(reply->status) + " at " + address +
                   ": is that a sluiced?");
  }
  return std::move(reply->body);
}

/// `stats` as a picture, under a line that says what is wrong just now.
std::string picture(const std::string& stats, const std::string& trouble) {
  ScreenForm form = screen_form();
  std::string above;
  if (!trouble.empty()) above = Line().add("! " + trouble, Style::denied).text(form) + "\n";
  if (!trouble.empty() && form.rows > 1) --form.rows;
  const auto drawn = dashboard(stats, form);
  return above + (drawn ? *drawn : drawn.error().message + "\n");
}

/// The last numbers stay on the screen while the daemon is away.
int live(const Options& options, const std::string& address, std::string stats) {
  auto terminal = Terminal::take();
  if (!terminal) return fail(terminal.error().message);
  std::string trouble;
  for (;;) {
    terminal->show(picture(stats, trouble));
    const Wake wake = terminal->wait(kBetween);
    if (wake == Wake::leave) return kExitAllowed;
    if (wake == Wake::resized) continue;
    auto next = fetch(options, address);
    trouble = next ? "" : "retrying: " + next.error().message;
    if (next) stats = *std::move(next);
  }
}

}  // namespace

int top(const Options& options) {
  const auto address = admin_address(options);
  if (!address) return fail(address.error().message);
  if (address->empty()) {
    return fail("the configuration has no [server] admin, which top reads from; set it, or pass --admin");
  }
  auto stats = fetch(options, *address);
  if (!stats) return fail(stats.error().message);
  if (options.json) {
    print(*stats + "\n");
    return kExitAllowed;
  }
  if (!options.once && is_interactive()) return live(options, *address, *std::move(stats));
  ScreenForm form = screen_form();
  form.rows = 0;
  const auto drawn = dashboard(*stats, form);
  if (!drawn) return fail(drawn.error().message);
  print(*drawn);
  return kExitAllowed;
}

}  // namespace sluice::ctl
