// The TLS of one connection, our side being the client: bytes to bytes, without any I/O. Inside net/.
#pragma once

#include <openssl/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "net/tls_context.h"
#include "net/tls_failure.h"

namespace sluice::net {

/// Whatever is called, take_output() has bytes for the peer afterwards, if there are any: also after a
/// failure, which the peer is told of.
class TlsSession {
 public:
  enum class Step : std::uint8_t {
    done,
    hungry,  ///< for more of the peer's bytes
    ended,   ///< the peer says that it will send no more
    failed,  ///< failure() says why; nothing but take_output() may be called any more
  };

  /// `peer.name` is verified, and asked for (SNI) if it is no address.
  TlsSession(const TlsContext& context, TlsPeer peer);

  /// What came from the peer.
  void feed(std::string_view bytes);

  /// Call it at first and after each feed() until it is `done`. Never `ended`.
  [[nodiscard]] Step handshake();

  struct Read {
    Step step = Step::hungry;
    std::size_t size = 0;  ///< of what was read, when it is done
  };
  /// The rest are for after the handshake. What is decrypted and not read yet waits here.
  [[nodiscard]] Read read(std::span<char> into);
  /// Takes all of it, at once. `done` or `failed`.
  [[nodiscard]] Step write(std::string_view bytes);
  /// Says that we shall send no more.
  void say_goodbye();

  [[nodiscard]] std::string take_output();
  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] const TlsPeer& peer() const { return peer_; }

 private:
  struct Free {
    void operator()(SSL* ssl) const;
  };

  bool expect_name();
  /// What the return value of an SSL function means.
  Step step_of(int result);
  Step fail();

  TlsPeer peer_;
  std::unique_ptr<SSL, Free> ssl_;
  std::string failure_;
};

}  // namespace sluice::net
