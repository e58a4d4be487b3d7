// Tells when a file may have changed.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "net/uv_loop.h"

namespace sluice::net {

struct FileWatchOptions {
  Duration debounce =
      std::chrono::milliseconds{250};  ///< quiet time after the last event before `changed` is called
  Duration poll =
      std::chrono::seconds{30};  ///< content is compared this often, for file systems without events
};

/// Watches the *directory* of `path`: editors replace files by rename, and Kubernetes swaps a `..data`
/// symlink beside them, after either of which a watch on the file itself is dead. Calls `changed` after the
/// content (SHA-256) differs from what it last was; a missing or unreadable file is no change. Destroying it
/// ends the watch, also from `changed`.
class FileWatch {
 public:
  virtual ~FileWatch() = default;

  /// Why changes are found by polling alone at present ("too many open files": inotify is at its limits), for
  /// the log; empty while events work. Each poll tries again to get events.
  [[nodiscard]] virtual std::string polling_only_because() const = 0;
};

inline constexpr std::size_t kMaxWatchedBytes = std::size_t{4} << 20;

/// The first content to compare with is that of now, so watch before you load. Reads at most kMaxWatchedBytes
/// of the file, within the loop: what changes after them is not noticed. Fails only if `path` names no file
/// ("", "conf/").
[[nodiscard]] Result<std::unique_ptr<FileWatch>> watch_file(UvLoop& loop, const std::string& path,
                                                            const FileWatchOptions& options,
                                                            std::function<void()> changed);

}  // namespace sluice::net
