#include "sim/check/answers.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/text.h"
#include "base/time.h"
#include "sim/check/seconds.h"
#include "sim/core/timeline.h"

namespace sluice::sim {
namespace {

std::string named(const AnswerBook::Request& request) {
  return "request " + std::to_string(request.tag) + " \"" + printable(request.text) + "\", sent at " +
         seconds(request.sent) + ", due by " + seconds(request.due);
}

std::string named(SimTime at, std::string_view text) {
  return "answer \"" + printable(text) + "\" at " + seconds(at);
}

}  // namespace

void AnswerBook::sent(SimTime at, std::uint64_t tag, std::string text, Duration longer) {
  SLUICE_ASSERT(!closed_);
  outstanding_.push_back({.tag = tag, .text = std::move(text), .sent = at, .due = at + bound_ + longer});
}

std::optional<AnswerBook::Request> AnswerBook::answered(SimTime at, std::string_view text) {
  if (outstanding_.empty()) {
    violated(named(at, text) + (closed_ ? " after the connection closed" : " to no request"));
    return std::nullopt;
  }
  return settle(0, at, text);
}

std::optional<AnswerBook::Request> AnswerBook::answered(SimTime at, std::uint64_t tag,
                                                        std::string_view text) {
  const auto request = std::ranges::find(outstanding_, tag, &Request::tag);
  if (request == outstanding_.end()) {
    violated(named(at, text) + " to request " + std::to_string(tag) + ", which is not outstanding");
    return std::nullopt;
  }
  if (request != outstanding_.begin()) {
    violated(named(at, text) + " to " + named(*request) + ", is out of order: before it comes " +
             named(outstanding_.front()));
  }
  return settle(static_cast<std::size_t>(request - outstanding_.begin()), at, text);
}

void AnswerBook::closed(SimTime at) {
  check(at);
  lost_ += outstanding_.size();
  outstanding_.clear();
  closed_ = true;
}

void AnswerBook::excused(Duration longer) {
  for (Request& request : outstanding_) request.due += longer;
}

void AnswerBook::check(SimTime now) {
  for (Request& request : outstanding_) {
    if (request.reported_late || now <= request.due) continue;
    request.reported_late = true;
    violated("no answer by " + seconds(now) + " to " + named(request));
  }
}

AnswerBook::Request AnswerBook::settle(std::size_t place, SimTime at, std::string_view text) {
  Request settled = std::move(outstanding_[place]);
  outstanding_.erase(outstanding_.begin() + static_cast<std::ptrdiff_t>(place));
  ++answers_;
  if (at > settled.due && !settled.reported_late) {
    settled.reported_late = true;
    violated(named(at, text) + " is late, to " + named(settled));
  }
  return settled;
}

void AnswerBook::violated(std::string text) {
  ++violations_;
  if (texts_.size() < kMostTexts) texts_.push_back(std::move(text));
}

}  // namespace sluice::sim
