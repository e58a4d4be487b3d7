// The promise "every check is answered once, in order, within max_wait" as one application sees it on one
// connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "sim/core/timeline.h"

namespace sluice::sim {

/// Follows one connection. Times never go backwards. Holds what is outstanding and the first kMostTexts
/// violations; all are counted.
class AnswerBook {
 public:
  static constexpr std::size_t kMostTexts = 16;

  struct Request {
    std::uint64_t tag = 0;  ///< the caller's name for it
    std::string text{};
    SimTime sent{};
    SimTime due{};  ///< an answer later than this is late
    bool reported_late = false;
  };

  /// An answer may take `max_wait`, and `allowance` for the way there and back.
  AnswerBook(Duration max_wait, Duration allowance) : bound_(max_wait + allowance) {}

  /// Not after closed(). `longer`: who should answer it is suspended for that much longer.
  void sent(SimTime at, std::uint64_t tag, std::string text, Duration longer = {});
  /// An answer that does not say what it answers: it counts for the oldest request outstanding, which is
  /// returned so that the caller can judge the content. Nothing if there is none, which is a violation.
  std::optional<Request> answered(SimTime at, std::string_view text);
  /// An answer that names its request: any but the oldest outstanding is a violation. It counts for the one
  /// it names, if that is outstanding.
  std::optional<Request> answered(SimTime at, std::uint64_t tag, std::string_view text);
  /// What is outstanding is lost; if it was late by then, that is a violation all the same. Once closed, does
  /// nothing.
  void closed(SimTime at);
  /// What is outstanding now may take this much longer: who should answer it, or hear it, was suspended.
  void excused(Duration longer);
  /// Finds what is late and still not answered; each is reported once. To be called at the end of a run at
  /// the least: a request that is never answered is found by nothing else.
  void check(SimTime now);

  [[nodiscard]] std::size_t outstanding() const { return outstanding_.size(); }
  [[nodiscard]] std::uint64_t answers() const { return answers_; }  ///< that had a request
  [[nodiscard]] std::uint64_t lost() const { return lost_; }
  [[nodiscard]] std::uint64_t violations() const { return violations_; }
  /// "no answer by 2.000 s to request 7 "CHECK a", sent at 1.000 s, due by 1.110 s"
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

 private:
  /// Takes the request at `place` among the outstanding ones as answered.
  Request settle(std::size_t place, SimTime at, std::string_view text);
  void violated(std::string text);

  Duration bound_;
  bool closed_ = false;
  std::deque<Request> outstanding_;  ///< as sent
  std::uint64_t answers_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t violations_ = 0;
  std::vector<std::string> texts_;
};

}  // namespace sluice::sim
