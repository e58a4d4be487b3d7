// libuv keeps a handle's memory until its close callback, usually longer than the object that used it lives.
#pragma once

#include <uv.h>

#include <memory>

namespace sluice::net {

/// A libuv handle that belongs to an Owner. Closing it, or destroying this, cuts the tie at once: the
/// handle's callbacks find no owner any more, and its memory goes when libuv is done with it. So an owner may
/// be destroyed inside any of its callbacks.
template <class Handle, class Owner>
class OwnedHandle {
 public:
  explicit OwnedHandle(Owner& owner) : block_(std::make_unique<Block>()) { block_->owner = &owner; }
  ~OwnedHandle() { close(); }
  OwnedHandle(const OwnedHandle&) = delete;
  OwnedHandle& operator=(const OwnedHandle&) = delete;

  /// `init` calls one of uv_…_init on the handle it is given. Returns what that returned.
  template <class Init>
  [[nodiscard]] int open(Init init) {
    const int status = init(&block_->handle);
    open_ = status == 0;
    raw()->data = block_.get();
    return status;
  }

  /// Null once closed.
  [[nodiscard]] Handle* get() const { return block_ ? &block_->handle : nullptr; }

  void close() {
    if (!block_) return;
    block_->owner = nullptr;
    if (open_) {
      uv_close(raw(), [](uv_handle_t* handle) { delete static_cast<Block*>(handle->data); });
      static_cast<void>(block_.release());  // the close callback has it now
    }
    block_.reset();
  }

  /// For libuv's callbacks: whose handle this is, or null if nobody's any more.
  [[nodiscard]] static Owner* owner_of(const auto* handle) {
    return static_cast<Block*>(handle->data)->owner;
  }

 private:
  struct Block {
    Handle handle{};
    Owner* owner = nullptr;
  };

  [[nodiscard]] uv_handle_t* raw() const { return reinterpret_cast<uv_handle_t*>(&block_->handle); }

  std::unique_ptr<Block> block_;
  bool open_ = false;
};

}  // namespace sluice::net
