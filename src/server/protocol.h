// What a session speaks: bytes → questions to the engine → bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "engine/engine.h"

namespace sluice::server {

/// Writes an answer that came later than its request.
using AnswerWriter = std::function<void(const engine::CheckResult& result, std::string& out)>;

/// An answer that is put together from several of the engine's. Destroyed when it was written or when its
/// session ends, whichever is first.
class Gathering {
 public:
  virtual ~Gathering() = default;
};

/// One request's way to its answer.
struct Turn {
  std::string& out;          ///< an answer at hand goes here
  engine::AnswerSink& sink;  ///< where the engine sends an answer that is not,
  std::uint64_t tag;         ///< under this tag;
  AnswerWriter write_later;  ///< and how it is written then
  /// For answers put together by a Gathering, which calls `complete` once, from the loop, with the bytes.
  std::unique_ptr<Gathering> gathering;
  std::function<void(std::string bytes)> complete;
};

enum class Step : std::uint8_t {
  incomplete,  ///< there is no whole request at the front
  answered,    ///< the answer is in `out` (it may be empty)
  waiting,     ///< the engine answers later: write_later or gathering is set
};

struct Progress {
  Step step = Step::incomplete;
  std::size_t consumed = 0;  ///< bytes of the buffer that are done with
  bool last = false;         ///< close the connection after this answer
};

/// One per connection; remembers what the client has sent in part and what it has chosen.
class Protocol {
 public:
  virtual ~Protocol() = default;
  /// Runs the request at the front of `buffer`, which otherwise extends what was given before.
  [[nodiscard]] virtual Progress next(std::string_view buffer, Turn& turn) = 0;
  /// The request that has begun to arrive took too long: the last answer.
  virtual void time_out(std::string& out) = 0;
};

/// Makes the text of INFO.
class InfoSource {
 public:
  virtual ~InfoSource() = default;
  [[nodiscard]] virtual std::string info() const = 0;
};

}  // namespace sluice::server
