// A password that is kept in a file, as orchestrators mount them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/file_watch.h"
#include "net/uv_loop.h"
#include "observe/log.h"

namespace sluice::daemon {

/// Follows its file: text() is what a change left there. With a change that leaves no password it stays as it
/// was, which is logged. The password itself is in no text.
class Secret {
 public:
  /// `setting` names the file in texts: "store.redis.password_file". The references must outlive the secret.
  [[nodiscard]] static Result<std::unique_ptr<Secret>> open(net::UvLoop& loop, observe::Log& log,
                                                            std::string setting, std::string path);
  ~Secret() = default;
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  Secret(observe::Log& log, std::string setting, std::string path);
  Result<void> read();
  void changed();

  observe::Log& log_;
  std::string setting_;
  std::string path_;
  std::string text_;
  std::unique_ptr<net::FileWatch> watch_;
};

}  // namespace sluice::daemon
