// A server's bytes to replies: hiredis' reader, with bounds that hold before anything is allocated.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/redis/reply.h"

struct redisReader;  // NOLINT(readability-identifier-naming): hiredis' own

namespace sluice::store::redis {

struct ReplyLimits {
  std::size_t max_bytes = std::size_t{1024} * 1024;  ///< of one reply, as it is sent and as it is held here
  std::size_t max_elements = 4096;                   ///< of one array
};

/// RESP2 only, arrays nested up to 7 deep. Resumes at any byte.
class ReplyReader {
 public:
  explicit ReplyReader(const ReplyLimits& limits);
  ~ReplyReader();
  ReplyReader(const ReplyReader&) = delete;
  ReplyReader& operator=(const ReplyReader&) = delete;

  /// Copies the bytes. After each call, next() must be called until it has nothing more: that is where the
  /// buffer's bound is checked.
  void feed(std::string_view bytes);

  /// The next whole reply; nothing: it takes more bytes. The error stays: what follows can't be told apart.
  [[nodiscard]] Result<std::optional<Reply>> next();

 private:
  struct Builder;
  std::unique_ptr<Builder> builder_;
  std::unique_ptr<redisReader, void (*)(redisReader*)> reader_;
};

}  // namespace sluice::store::redis
