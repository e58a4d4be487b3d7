// Unix sockets in the file system, inside net/: who may have the path, and whose file is there.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "net/listen.h"
#include "net/posix.h"

namespace sluice::net {

/// A socket's file, known by its inode. Destroying this removes the file if the path still leads to that
/// inode. Must be destroyed before the bound socket is closed: that holds the inode, whose number could be
/// given to another file after.
class SocketFile {
 public:
  /// The file that is at `path` now.
  [[nodiscard]] static Result<SocketFile> at(const std::string& path);
  SocketFile(SocketFile&& other) noexcept;
  SocketFile& operator=(SocketFile&&) = delete;
  SocketFile(const SocketFile&) = delete;
  SocketFile& operator=(const SocketFile&) = delete;
  ~SocketFile();

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Replaces what is at `path`, in one step.
  [[nodiscard]] Result<void> move_to(const std::string& path);

 private:
  SocketFile() = default;

  std::string path_;  ///< empty: nothing to remove
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

/// Members in the order in which they must outlive each other.
struct BoundSocket {
  Fd lock;
  Fd socket;
  SocketFile file;
};

/// All of listen_unix but the accepting: on return the socket listens at options.path, with its mode and
/// group. Tools like ss show it under the temporary name, as the kernel keeps the name that was bound.
[[nodiscard]] Result<BoundSocket> bind_socket_file(const UnixListenOptions& options);

}  // namespace sluice::net
