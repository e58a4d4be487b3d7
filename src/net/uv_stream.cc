#include "net/uv_stream.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <uv.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/result.h"
#include "base/stream.h"
#include "net/owned_handle.h"
#include "net/posix.h"
#include "net/uv_loop.h"
#include "net/uv_loop_impl.h"

namespace sluice::net {
namespace {

union SocketHandle {
  uv_stream_t stream;
  uv_pipe_t pipe;
  uv_tcp_t tcp;
};

/// Bytes that libuv is sending. Freed by the write's callback, which comes even when the handle is closed.
struct PendingWrite {
  uv_write_t request{};
  std::string bytes;
};

/// An idle one holds nothing beside itself and libuv's handle: the read buffer is the loop's, and the strings
/// are empty.
class UvStream final : public ByteStream {
 public:
  UvStream(UvLoop& loop, std::string peer) : loop_(loop), peer_(std::move(peer)) {}
  ~UvStream() override;
  UvStream(const UvStream&) = delete;
  UvStream& operator=(const UvStream&) = delete;

  /// On success the handle owns the descriptor.
  int open(int fd, SocketKind kind);

  void start(StreamEvents& events) override;
  void write(std::string_view bytes) override;
  [[nodiscard]] std::size_t unsent() const override;
  void pause() override;
  void resume() override;
  void finish() override;
  void close() override { end("closed"); }
  [[nodiscard]] std::string peer() const override { return peer_; }

 private:
  using Handle = OwnedHandle<SocketHandle, UvStream>;
  enum class State { open, finishing, closed };

  static void on_read(uv_stream_t* stream, ssize_t count, const uv_buf_t* buffer);
  static void on_written(uv_write_t* request, int status);

  void start_reading();
  void stop_reading();
  void send_queued();
  void sent();
  void close_finished();
  void end(std::string reason);
  void report_end();

  [[nodiscard]] uv_stream_t* stream() const { return &handle_.get()->stream; }

  UvLoop& loop_;
  StreamEvents* events_ = nullptr;
  Handle handle_{*this};
  State state_ = State::open;
  bool reading_ = false;
  bool paused_ = false;
  bool peer_ended_ = false;
  bool sending_ = false;  ///< libuv has a PendingWrite of ours
  std::string queued_;    ///< what comes after that
  std::string peer_;
  std::string end_reason_;
  /// Shared with the task that will call on_closed; null in it once this stream is gone.
  std::shared_ptr<UvStream*> end_notice_;
};

UvStream::~UvStream() {
  if (end_notice_) *end_notice_ = nullptr;
}

int UvStream::open(int fd, SocketKind kind) {
  uv_loop_t* loop = &loop_.impl().loop;
  if (kind == SocketKind::unix_domain) {
    const int status =
        handle_.open([&](SocketHandle* handle) { return uv_pipe_init(loop, &handle->pipe, 0); });
    return status != 0 ? status : uv_pipe_open(&handle_.get()->pipe, fd);
  }
  // Answers are small and each is waited for.
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  const int status = handle_.open([&](SocketHandle* handle) { return uv_tcp_init(loop, &handle->tcp); });
  return status != 0 ? status : uv_tcp_open(&handle_.get()->tcp, fd);
}

void UvStream::start(StreamEvents& events) {
  SLUICE_ASSERT(events_ == nullptr);
  events_ = &events;
  if (state_ == State::closed) {
    report_end();
  } else {
    start_reading();
  }
}

void UvStream::write(std::string_view bytes) {
  if (state_ != State::open || bytes.empty()) return;
  if (unsent() == 0) {
    // libuv only reads from the buffer, its type is just older than const.
    const uv_buf_t buffer{.base = const_cast<char*>(bytes.data()), .len = bytes.size()};
    const int taken = uv_try_write(stream(), &buffer, 1);
    if (taken < 0 && taken != UV_EAGAIN) {
      end(fmt::format("write: {}", uv_strerror(taken)));
      return;
    }
    if (taken > 0) bytes.remove_prefix(static_cast<std::size_t>(taken));
    if (bytes.empty()) return;
  }
  queued_.append(bytes);
  if (!sending_) send_queued();
}

std::size_t UvStream::unsent() const {
  if (state_ == State::closed) return 0;
  return queued_.size() + uv_stream_get_write_queue_size(stream());
}

void UvStream::send_queued() {
  auto write = std::make_unique<PendingWrite>();
  write->bytes = std::exchange(queued_, {});
  write->request.data = write.get();
  const uv_buf_t buffer{.base = write->bytes.data(), .len = write->bytes.size()};
  const int status = uv_write(&write->request, stream(), &buffer, 1, &UvStream::on_written);
  if (status != 0) {
    end(fmt::format("write: {}", uv_strerror(status)));
    return;
  }
  sending_ = true;
  [[maybe_unused]] const PendingWrite* theirs = write.release();  // until on_written
}

void UvStream::on_written(uv_write_t* request, int status) {
  const std::unique_ptr<PendingWrite> done{static_cast<PendingWrite*>(request->data)};
  UvStream* self = Handle::owner_of(request->handle);
  if (self == nullptr) return;
  self->sending_ = false;
  if (status != 0) {
    self->end(fmt::format("write: {}", uv_strerror(status)));
  } else {
    self->sent();
  }
}

void UvStream::sent() {
  if (!queued_.empty()) {
    send_queued();
  } else if (state_ == State::finishing) {
    close_finished();
  } else if (events_ != nullptr) {
    events_->on_drained();
  }
}

void UvStream::pause() {
  paused_ = true;
  stop_reading();
}

void UvStream::resume() {
  paused_ = false;
  start_reading();
}

void UvStream::start_reading() {
  if (reading_ || paused_ || peer_ended_ || events_ == nullptr || state_ != State::open) return;
  const auto use_shared_buffer = [](uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
    auto& shared = static_cast<UvLoop::Impl*>(handle->loop->data)->read_buffer;
    *buffer = uv_buf_t{.base = shared.data(), .len = shared.size()};
  };
  const int status = uv_read_start(stream(), use_shared_buffer, &UvStream::on_read);
  reading_ = status == 0;
  if (status != 0) end(fmt::format("read: {}", uv_strerror(status)));
}

void UvStream::stop_reading() {
  if (!reading_) return;
  reading_ = false;
  uv_read_stop(stream());
}

void UvStream::on_read(uv_stream_t* stream, ssize_t count, const uv_buf_t* buffer) {
  UvStream* self = Handle::owner_of(stream);
  if (self == nullptr || count == 0) return;  // 0 is libuv's EAGAIN
  if (count > 0) {
    self->events_->on_bytes({buffer->base, static_cast<std::size_t>(count)});
  } else if (count == UV_EOF) {
    self->peer_ended_ = true;
    self->stop_reading();
    self->events_->on_end();
  } else {
    self->end(fmt::format("read: {}", uv_strerror(static_cast<int>(count))));
  }
}

void UvStream::finish() {
  if (state_ != State::open) return;
  state_ = State::finishing;
  stop_reading();
  if (!sending_) close_finished();
}

void UvStream::close_finished() {
  // Closing a socket with unread bytes resets the connection, and the peer might lose our last words to it.
  // So what has come already is read and dropped; whoever sends more than this does not care for them.
  constexpr int kReads = 16;
  auto& scratch = loop_.impl().read_buffer;
  uv_os_fd_t fd = -1;
  uv_fileno(reinterpret_cast<uv_handle_t*>(stream()), &fd);
  for (int i = 0; i < kReads; ++i) {
    if (::recv(fd, scratch.data(), scratch.size(), MSG_DONTWAIT) <= 0) break;
  }
  end("finished");
}

void UvStream::end(std::string reason) {
  if (state_ == State::closed) return;
  state_ = State::closed;
  reading_ = false;
  queued_ = {};
  handle_.close();
  end_reason_ = std::move(reason);
  if (events_ != nullptr) report_end();
}

void UvStream::report_end() {
  end_notice_ = std::make_shared<UvStream*>(this);
  loop_.defer([notice = end_notice_] {
    UvStream* self = *notice;
    if (self == nullptr) return;
    // The owner may destroy the stream in the call, and the reason must last through it.
    const std::string reason = std::move(self->end_reason_);
    self->events_->on_closed(reason);
  });
}

}  // namespace

Result<std::unique_ptr<ByteStream>> open_stream(UvLoop& loop, Fd socket, SocketKind kind, std::string peer) {
  auto stream = std::make_unique<UvStream>(loop, std::move(peer));
  const int status = stream->open(socket.get(), kind);
  if (status != 0) return failure(fmt::format("cannot watch a connection: {}", uv_strerror(status)));
  static_cast<void>(socket.release());  // the handle has it now
  return stream;
}

}  // namespace sluice::net
