#include "net/file_watch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#include <uv.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "base/loop.h"
#include "base/result.h"
#include "base/text.h"
#include "net/owned_handle.h"
#include "net/posix.h"
#include "net/uv_loop.h"
#include "net/uv_loop_impl.h"

namespace sluice::net {
namespace {

/// The link that Kubernetes swaps to change all files of a mounted ConfigMap at once.
constexpr std::string_view kKubernetesLink = "..data";

/// Nothing if there is no such file, or it is none that can be read.
std::optional<std::uint64_t> hash_of(const std::string& path) {
  // Not blocking, as opening a FIFO would.
  const Fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat found{};
  if (!file || ::fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;

  constexpr std::size_t kStep = std::size_t{16} * 1024;
  std::string content;
  while (content.size() < kMaxWatchedBytes) {
    const std::size_t before = content.size();
    content.resize(std::min(before + kStep, kMaxWatchedBytes));
    const ssize_t count = ::read(file.get(), content.data() + before, content.size() - before);
    if (count < 0 && errno != EINTR) return std::nullopt;
    content.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count == 0) break;
  }
  return stable_hash(content);
}

class UvFileWatch final : public FileWatch {
 public:
  UvFileWatch(UvLoop& loop, std::string path, const FileWatchOptions& options, std::function<void()> changed);
  ~UvFileWatch() override;
  UvFileWatch(const UvFileWatch&) = delete;
  UvFileWatch& operator=(const UvFileWatch&) = delete;

  [[nodiscard]] std::string polling_only_because() const override { return no_events_; }

  /// Takes the content of now as the one to compare with. Returns libuv's status.
  int start();

 private:
  using Handle = OwnedHandle<uv_fs_event_t, UvFileWatch>;

  static void on_event(uv_fs_event_t* handle, const char* name, int events, int status);
  void watch_directory();
  void schedule_poll();
  void check();

  UvLoop& loop_;
  std::string path_;
  std::string directory_;
  std::string name_;
  FileWatchOptions options_;
  std::function<void()> changed_;
  std::optional<std::uint64_t> content_;
  Handle events_{*this};
  std::string no_events_;
  TimerId debounce_ = 0;
  TimerId poll_ = 0;
};

UvFileWatch::UvFileWatch(UvLoop& loop, std::string path, const FileWatchOptions& options,
                         std::function<void()> changed)
    : loop_(loop), path_(std::move(path)), options_(options), changed_(std::move(changed)) {
  const auto slash = path_.rfind('/');
  directory_ = slash == std::string::npos ? "." : path_.substr(0, slash + 1);
  name_ = slash == std::string::npos ? path_ : path_.substr(slash + 1);
}

UvFileWatch::~UvFileWatch() {
  loop_.stop_timer(debounce_);
  loop_.stop_timer(poll_);
}

int UvFileWatch::start() {
  const auto init = [this](uv_fs_event_t* handle) { return uv_fs_event_init(&loop_.impl().loop, handle); };
  if (const int status = events_.open(init); status != 0) return status;
  // In this order: what changes between the two is an event.
  watch_directory();
  content_ = hash_of(path_);
  schedule_poll();
  return 0;
}

void UvFileWatch::watch_directory() {
  // Anew each time: nothing tells reliably that the directory itself was replaced, and the old watch dead.
  uv_fs_event_stop(events_.get());
  const int status = uv_fs_event_start(events_.get(), &UvFileWatch::on_event, directory_.c_str(), 0);
  no_events_ = status == 0 ? "" : uv_strerror(status);
}

void UvFileWatch::on_event(uv_fs_event_t* handle, const char* name, int /*events*/, int /*status*/) {
  UvFileWatch* self = Handle::owner_of(handle);
  if (self == nullptr) return;
  // Of any kind: file systems differ in what they report. Without a name it may be ours.
  const std::string_view about = name == nullptr ? std::string_view{} : name;
  if (!about.empty() && about != self->name_ && about != kKubernetesLink) return;
  self->loop_.stop_timer(self->debounce_);
  self->debounce_ = self->loop_.start_timer(self->options_.debounce, [self] { self->check(); });
}

void UvFileWatch::schedule_poll() {
  poll_ = loop_.start_timer(options_.poll, [this] {
    schedule_poll();
    watch_directory();
    check();  // after it, so that what happened between the two watches is seen
  });
}

void UvFileWatch::check() {
  auto content = hash_of(path_);
  if (!content || content == content_) return;
  content_ = content;
  // Last, and a copy: it may destroy this object.
  const auto changed = changed_;
  changed();
}

}  // namespace

Result<std::unique_ptr<FileWatch>> watch_file(UvLoop& loop, const std::string& path,
                                              const FileWatchOptions& options,
                                              std::function<void()> changed) {
  if (path.empty() || path.back() == '/')
    return failure(fmt::format("\"{}\" names no file to watch", printable(path)));
  auto watch = std::make_unique<UvFileWatch>(loop, path, options, std::move(changed));
  if (const int status = watch->start(); status != 0) {
    return failure(fmt::format("cannot watch {}: {}", path, uv_strerror(status)));
  }
  return watch;
}

}  // namespace sluice::net
