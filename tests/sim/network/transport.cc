// How chunks travel.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/time.h"
#include "sim/core/timeline.h"
#include "sim/network/connection.h"
#include "sim/network/impl.h"
#include "sim/network/network.h"
#include "sim/network/stream.h"

namespace sluice::sim {
namespace {

constexpr std::size_t kMostPieces = 5;
/// Pieces of one write arrive one by one.
constexpr Duration kBetweenPieces{1};
/// A retransmission that waits longer than this would hit the time-outs of everybody.
constexpr Duration kLongestBackoff = std::chrono::seconds{1};

}  // namespace

void Network::Impl::send(const ConnectionRef& connection, std::size_t side, std::string_view bytes) {
  connection->pipes[side].under_way += bytes.size();
  counters.bytes += bytes.size();
  std::size_t pieces = 1;
  if (bytes.size() > 1 && draw.chance(options.split_share)) {
    pieces = 2 + draw.below(std::min(bytes.size(), kMostPieces) - 1);
    ++counters.splits;
  }
  Duration gap{};
  for (; pieces > 0; --pieces, gap = kBetweenPieces) {
    const std::size_t most = bytes.size() - (pieces - 1);  // one byte at least for each to come
    const std::size_t size = pieces == 1 ? most : 1 + draw.below(most);
    put(connection, side, {.kind = Parcel::bytes, .bytes = std::string(bytes.substr(0, size))}, gap);
    bytes.remove_prefix(size);
  }
}

void Network::Impl::put(const ConnectionRef& connection, std::size_t side, Chunk chunk, Duration gap) {
  Pipe& pipe = connection->pipes[side];
  const HostId from = connection->ends[side].host;
  const HostId to = connection->ends[other(side)].host;
  if (chunk.kind == Parcel::reset) pipe.orphaned = true;
  chunk.arrival = std::max(timeline.now() + latency(from, to), pipe.last_arrival + gap);
  pipe.last_arrival = chunk.arrival;
  pipe.chunks.push_back(std::move(chunk));
  ++counters.chunks;
  if (pipe.held) ++counters.delayed;
  if (pipe.held || !passes(from, to)) {
    hold(connection, side);
  } else if (pipe.arriving == 0) {
    schedule(connection, side);
  }
}

void Network::Impl::hold(const ConnectionRef& connection, std::size_t side) {
  Pipe& pipe = connection->pipes[side];
  if (!pipe.held) {
    pipe.held = true;
    timeline.cancel(std::exchange(pipe.arriving, 0));
    counters.delayed += pipe.chunks.size();
  }
  if (pipe.orphaned) {
    pipe.chunks.clear();
  } else {
    expect_progress(connection, side);
  }
}

void Network::Impl::release(const ConnectionRef& connection, std::size_t side, Duration outage) {
  Pipe& pipe = connection->pipes[side];
  pipe.held = false;
  if (!pipe.unacknowledged) timeline.cancel(std::exchange(pipe.giving_up, 0));
  if (pipe.chunks.empty()) return;
  const Duration backoff = draw.between(Duration::zero(), std::min(outage, kLongestBackoff));
  const Duration way = latency(connection->ends[side].host, connection->ends[other(side)].host);
  const SimTime first = timeline.now() + backoff + way;
  for (Chunk& chunk : pipe.chunks) chunk.arrival = std::max(chunk.arrival, first);
  pipe.last_arrival = pipe.chunks.back().arrival;
  schedule(connection, side);
}

void Network::Impl::schedule(const ConnectionRef& connection, std::size_t side) {
  Pipe& pipe = connection->pipes[side];
  const Duration wait = pipe.chunks.front().arrival - timeline.now();
  pipe.arriving = after(wait, [this, connection, side] { arrive(connection, side); });
}

void Network::Impl::arrive(const ConnectionRef& connection, std::size_t side) {
  Pipe& pipe = connection->pipes[side];
  pipe.arriving = 0;
  if (!passes(connection->ends[side].host, connection->ends[other(side)].host)) {
    hold(connection, side);
    return;
  }
  while (!pipe.chunks.empty() && pipe.chunks.front().arrival <= timeline.now()) {
    const Chunk chunk = std::move(pipe.chunks.front());
    pipe.chunks.pop_front();
    deliver(connection, side, chunk);
  }
  if (!pipe.chunks.empty()) schedule(connection, side);
}

void Network::Impl::deliver(const ConnectionRef& connection, std::size_t side, const Chunk& chunk) {
  Pipe& pipe = connection->pipes[side];
  const End& from = connection->ends[side];
  End& to = connection->ends[other(side)];
  switch (chunk.kind) {
    case Parcel::hello:
      accept(connection);
      break;
    case Parcel::bytes:
      if (!passes(to.host, from.host)) {
        pipe.unacknowledged = true;
        expect_progress(connection, side);
      }
      if (to.open) {
        to.received += chunk.bytes;
        to.stream->readable();
      } else if (from.open) {
        put(connection, other(side), {.kind = Parcel::reset});
      }
      break;
    case Parcel::end:
      if (!to.open) break;
      note(pipe.label, "[end]");
      to.ended = true;
      to.stream->readable();
      break;
    case Parcel::reset:
      fail(connection, other(side), "connection reset by peer");
      break;
  }
}

}  // namespace sluice::sim
