// What becomes of an attempt to connect, kept for the test to look at.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/connector.h"
#include "base/stream.h"

namespace sluice::net {

struct DialOutcome final : ConnectEvents {
  std::unique_ptr<ByteStream> stream;
  std::string reason;
  int events = 0;
  std::function<void()> hook;

  void on_connected(std::unique_ptr<ByteStream> connected) override {
    stream = std::move(connected);
    note();
  }
  void on_connect_failed(std::string_view why) override {
    const std::string_view kept = why;
    note();
    reason = kept;  // must be good for the whole call, though the hook destroyed the attempt
  }
  void note() {
    ++events;
    if (hook) hook();
  }
};

}  // namespace sluice::net
