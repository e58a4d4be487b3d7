#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "config/load.h"
#include "config/table.h"
#include "config/value.h"

namespace sluice::config {
namespace {

constexpr std::string_view kTitle =
    R"(# Every setting of Sluice, made from the program's own table by: sluicectl config reference
#
# This file is a valid configuration. A setting that has its default need not be written. Lines that begin with "#"
# and no space are settings and sections without a default, switched off; their values are examples, and so are
# [[rule]] and [[bypass]]. A running daemon takes over changes of this file, except where it says "needs a restart".
)";

std::string describe_type(const Setting& setting) {
  const auto range = [&setting] {
    return fmt::format("from {} to {}", format_bound(setting.type, setting.bounds.min),
                       format_bound(setting.type, setting.bounds.max));
  };
  switch (setting.type) {
    case Type::string:
      return setting.limits.empty() ? "text" : fmt::format("text: {}", setting.limits);
    case Type::integer:
      return "integer " + range();
    case Type::duration:
      return "duration " + range();
    case Type::boolean:
      return "true or false";
    case Type::share:
      return "number above 0 and up to 1";
    case Type::mode:
      return "octal digits " + range();
    case Type::word:
      return fmt::format("one of \"{}\"", fmt::join(setting.words, "\", \""));
    case Type::strings:
      return setting.limits.empty() ? "list of texts" : fmt::format("list of texts: {}", setting.limits);
    case Type::rate:
      return "rate, \"unlimited\" or 0";
    case Type::headers:
      return "table: descriptor = name of a header";
    case Type::match:
      return "table: descriptor = pattern, or a list of patterns of which one must match";
  }
  return {};
}

std::string describe(const Setting& setting) {
  std::string line = fmt::format("# {}; ", describe_type(setting));
  switch (setting.presence) {
    case Presence::required:
      line += "required";
      break;
    case Presence::optional:
      line += "optional";
      break;
    case Presence::defaulted:
      line += fmt::format("default {}", setting.literal);
      break;
  }
  if (setting.change == Change::restart) line += "; needs a restart";
  return line;
}

/// Nothing in it has a default, and to be there may mean something.
bool is_off(const Section& section) {
  const auto is_on = [&section](const Setting& setting) {
    return setting.section == section.path && setting.presence != Presence::optional;
  };
  return !is_repeated(section) && std::ranges::none_of(settings_table(), is_on);
}

}  // namespace

std::string reference_toml() {
  std::string out(kTitle);
  for (const Section& section : sections()) {
    out += fmt::format("\n\n# {}\n{}{}\n", section.help, is_off(section) ? "#" : "", header_of(section));
    for (const Setting& setting : settings_table()) {
      if (setting.section != section.path) continue;
      // An array is an example as a whole.
      const bool off = setting.presence == Presence::optional && !is_repeated(section);
      out += fmt::format("\n# {}\n{}\n{}{} = {}\n", setting.help, describe(setting), off ? "#" : "",
                         setting.key, setting.literal);
    }
  }
  return out;
}

}  // namespace sluice::config
