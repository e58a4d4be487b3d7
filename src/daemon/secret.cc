#include "daemon/secret.h"

#include <cstddef>
#include <expected>
#include <fstream>
#include <ios>
#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "net/file_watch.h"
#include "net/uv_loop.h"
#include "observe/log.h"

namespace sluice::daemon {
namespace {

/// More is a mistake.
constexpr std::size_t kMaxPasswordBytes = 4096;

/// Secrets are mounted as files, which editors end with a newline.
Result<std::string> read_password(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string password(kMaxPasswordBytes + 1, '\0');
  file.read(password.data(), static_cast<std::streamsize>(password.size()));
  if (!file.is_open() || file.bad())
    return failure("cannot read " + path + "; it must exist and be readable by sluiced");
  password.resize(static_cast<std::size_t>(file.gcount()));
  while (!password.empty() && (password.back() == '\n' || password.back() == '\r')) password.pop_back();
  if (password.empty()) return failure(path + " is empty; write the password into it");
  if (password.size() > kMaxPasswordBytes)
    return failure(path + " holds more than 4096 bytes; that is no password");
  return password;
}

}  // namespace

Secret::Secret(observe::Log& log, std::string setting, std::string path)
    : log_(log), setting_(std::move(setting)), path_(std::move(path)) {}

Result<std::unique_ptr<Secret>> Secret::open(net::UvLoop& loop, observe::Log& log, std::string setting,
                                             std::string path) {
  std::unique_ptr<Secret> secret(new Secret(log, std::move(setting), std::move(path)));
  // Watched before it is read, so that no change can fall between the two.
  auto watch = net::watch_file(loop, secret->path_, {}, [changed = secret.get()] { changed->changed(); });
  if (!watch) return failure(secret->setting_ + ": " + watch.error().message);
  secret->watch_ = *std::move(watch);
  if (const auto done = secret->read(); !done) return std::unexpected(done.error());
  return secret;
}

Result<void> Secret::read() {
  auto text = read_password(path_);
  if (!text) return failure(setting_ + ": " + text.error().message);
  text_ = *std::move(text);
  return {};
}

void Secret::changed() {
  if (const auto done = read(); !done) {
    log_.write(observe::Level::warn, "password file is of no use, the old password stays",
               {{.name = "reason", .value = done.error().message}});
    return;
  }
  log_.write(observe::Level::info, "password file read again", {{.name = "setting", .value = setting_}});
}

}  // namespace sluice::daemon
