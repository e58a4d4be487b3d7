#include "net/socket_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/text.h"
#include "net/listen.h"
#include "net/posix.h"

namespace sluice::net {
namespace {

/// Last characters of temporary names, rare ones first: a neighbour's socket is more likely to end in a
/// letter.
constexpr std::string_view kTemporaryEndings = "~#%+=@,^0123456789abcdefghijklmnopqrstuvwxyz";

std::unexpected<Error> failed(std::string_view what, const std::string& path, int error_number) {
  return failure(fmt::format("cannot {} {}: {}", what, path, error_text(error_number)));
}

/// `pid` is 0 or less when it is not known, or has no number in our container.
std::unexpected<Error> in_use(const std::string& path, std::int64_t pid) {
  const std::string holder = pid > 0 ? fmt::format("process {}", pid) : "another process";
  return failure(fmt::format("{} is in use by {}; stop it or choose another [server] socket", path, holder));
}

sockaddr_un socket_name(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, path.data(), path.size());  // check_path() saw that it fits
  return name;
}

const sockaddr* raw(const sockaddr_un& name) {
  return reinterpret_cast<const sockaddr*>(&name);
}

Fd unix_socket() {
  return Fd{::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
}

Result<void> check_path(const std::string& path) {
  if (path.empty() || path.back() == '/' || path.find('\0') != std::string::npos) {
    return failure(fmt::format("\"{}\" is no path for a socket", printable(path)));
  }
  if (path.size() > kMaxSocketPath) {
    return failure(fmt::format("the socket path {} has {} bytes; Unix sockets allow {}",
                               printable(path, path.size()), path.size(), kMaxSocketPath));
  }
  const auto slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  struct stat found{};
  if (::stat(directory.c_str(), &found) != 0) {
    if (errno != ENOENT) return failed("look into", directory, errno);
    return failure(fmt::format("cannot make the socket {}: the directory {} does not exist; create it", path,
                               directory));
  }
  return {};
}

std::int64_t pid_in(const Fd& lock) {
  std::array<char, 32> text{};
  const ssize_t size = ::pread(lock.get(), text.data(), text.size(), 0);
  const std::string_view content{text.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
  return parse_int(content.substr(0, content.find('\n'))).value_or(0);
}

Result<Fd> take_lock(const std::string& path) {
  const std::string lock_path = path + ".lock";
  Fd lock{::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (!lock) return failed("open the lock file", lock_path, errno);
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return in_use(path, pid_in(lock));
    return failed("lock", lock_path, errno);
  }
  // Only for the error text of the next one, so a full disk does not stop us.
  const std::string pid = fmt::format("{}\n", ::getpid());
  const bool written = ::ftruncate(lock.get(), 0) == 0 && ::pwrite(lock.get(), pid.data(), pid.size(), 0) > 0;
  static_cast<void>(written);
  return lock;
}

/// Nothing but a dead socket may be at `path`. The lock keeps other daemons out; this finds programs without
/// one.
Result<void> check_vacant(const std::string& path) {
  struct stat found{};
  if (::lstat(path.c_str(), &found) != 0) {
    if (errno == ENOENT) return {};
    return failed("look at", path, errno);
  }
  if (!S_ISSOCK(found.st_mode)) {
    return failure(
        fmt::format("{} exists and is not a socket; remove it or choose another [server] socket", path));
  }
  const Fd probe = unix_socket();
  if (!probe) return failed("probe", path, errno);
  const sockaddr_un name = socket_name(path);
  if (::connect(probe.get(), raw(name), sizeof(name)) == 0) {
    ucred holder{};
    socklen_t size = sizeof(holder);
    ::getsockopt(probe.get(), SOL_SOCKET, SO_PEERCRED, &holder, &size);
    return in_use(path, holder.pid);
  }
  if (errno == ECONNREFUSED || errno == ENOENT) return {};
  // Its backlog is full, or it is a socket of another type.
  if (errno == EAGAIN || errno == EPROTOTYPE) return in_use(path, 0);
  return failed("probe", path, errno);
}

/// Binds beside `path`, under a name as long as that one: a path of the greatest length leaves no room for
/// more.
Result<SocketFile> bind_beside(const Fd& socket, const std::string& path) {
  std::string temporary = path;
  for (const char ending : kTemporaryEndings) {
    if (ending == path.back()) continue;
    temporary.back() = ending;
    const sockaddr_un name = socket_name(temporary);
    if (::bind(socket.get(), raw(name), sizeof(name)) == 0) return SocketFile::at(temporary);
    if (errno != EADDRINUSE) return failed("make the socket", path, errno);
  }
  return failure(fmt::format(
      "cannot make the socket {}: no free name beside it, the last tried is {}; clear the directory", path,
      temporary));
}

/// Symbolic links are not followed: in a directory that others may write to, the file could have been
/// replaced by one.
Result<void> set_access(const SocketFile& file, const UnixListenOptions& options) {
  const char* path = file.path().c_str();
  constexpr auto kSameUser = static_cast<uid_t>(-1);
  if (options.group && ::lchown(path, kSameUser, *options.group) != 0) {
    const int cause = errno;
    return failure(fmt::format("cannot give {} to group {}: {}; the daemon must belong to that group",
                               options.path, *options.group, error_text(cause)));
  }
  if (::fchmodat(AT_FDCWD, path, options.mode, AT_SYMLINK_NOFOLLOW) == 0) return {};
  return failed(fmt::format("set mode {:04o} of", options.mode), options.path, errno);
}

}  // namespace

Result<SocketFile> SocketFile::at(const std::string& path) {
  struct stat found{};
  if (::lstat(path.c_str(), &found) != 0) return failed("look at", path, errno);
  SocketFile file;
  file.path_ = path;
  file.device_ = found.st_dev;
  file.inode_ = found.st_ino;
  return file;
}

SocketFile::SocketFile(SocketFile&& other) noexcept
    : path_(std::exchange(other.path_, {})), device_(other.device_), inode_(other.inode_) {}

SocketFile::~SocketFile() {
  struct stat found{};
  if (path_.empty() || ::lstat(path_.c_str(), &found) != 0) return;
  if (found.st_dev == device_ && found.st_ino == inode_) ::unlink(path_.c_str());
}

Result<void> SocketFile::move_to(const std::string& path) {
  if (std::rename(path_.c_str(), path.c_str()) != 0) return failed("put the socket at", path, errno);
  path_ = path;
  return {};
}

Result<BoundSocket> bind_socket_file(const UnixListenOptions& options) {
  if (auto checked = check_path(options.path); !checked) return std::unexpected(checked.error());
  auto lock = take_lock(options.path);
  if (!lock) return std::unexpected(lock.error());
  if (auto vacant = check_vacant(options.path); !vacant) return std::unexpected(vacant.error());

  Fd socket = unix_socket();
  if (!socket) return failed("make the socket", options.path, errno);
  // Linux takes the mode of the file from the unbound socket, less the umask: never too open, not even at
  // first.
  if (::fchmod(socket.get(), options.mode) != 0) return failed("prepare the socket", options.path, errno);
  auto file = bind_beside(socket, options.path);
  if (!file) return std::unexpected(file.error());
  if (auto set = set_access(*file, options); !set) return std::unexpected(set.error());
  // Before the move, so that whoever finds the file finds somebody listening.
  if (::listen(socket.get(), options.backlog) != 0) return failed("listen on", options.path, errno);
  if (auto moved = file->move_to(options.path); !moved) return std::unexpected(moved.error());
  return BoundSocket{.lock = *std::move(lock), .socket = std::move(socket), .file = *std::move(file)};
}

}  // namespace sluice::net
