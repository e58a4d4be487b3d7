// What becomes of the ends of connections.
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "sim/network/connection.h"
#include "sim/network/impl.h"
#include "sim/network/network.h"
#include "sim/network/stream.h"

namespace sluice::sim {

void Network::Impl::took(Connection& connection, std::size_t side, std::string_view bytes) {
  const std::size_t sender = other(side);
  Pipe& pipe = connection.pipes[sender];
  note(pipe.label, bytes);
  if (!connection.ends[side].open) return;  // the last words of one that failed since: accounts are closed
  pipe.read += bytes.size();
  if (passes(connection.ends[side].host, connection.ends[sender].host)) acknowledge(connection, sender);
}

void Network::Impl::acknowledge(Connection& connection, std::size_t side) {
  Pipe& pipe = connection.pipes[side];
  pipe.unacknowledged = false;
  if (!pipe.held) timeline.cancel(std::exchange(pipe.giving_up, 0));
  pipe.under_way -= std::exchange(pipe.read, 0);
  // Half of the buffer: kernels do not wake a writer for every byte either.
  SimStream* const stream = connection.ends[side].stream;
  if (stream == nullptr || stream->unsent() == 0 || pipe.under_way > options.send_buffer / 2) return;
  stream->writable(latency(connection.ends[other(side)].host, connection.ends[side].host));
}

void Network::Impl::close(const ConnectionRef& connection, std::size_t side) {
  End& end = connection->ends[side];
  if (end.open) {
    end.open = false;
    // Unread bytes, or nobody who took the connection: the peer must not believe that all was well.
    const bool abort = !end.received.empty() || !end.accepted;
    end.received.clear();
    let_go(*connection, side);
    if (connection->ends[other(side)].open) {
      put(connection, side, {.kind = abort ? Parcel::reset : Parcel::end});
    }
  }
  forget_if_over(*connection);
}

void Network::Impl::fail(const ConnectionRef& connection, std::size_t side, std::string_view reason) {
  End& end = connection->ends[side];
  Pipe& pipe = connection->pipes[side];
  if (!end.open) return;
  note(pipe.label, reason);
  end.open = false;
  end.error = reason;
  pipe.orphaned = true;
  if (pipe.held) pipe.chunks.clear();
  timeline.cancel(std::exchange(pipe.giving_up, 0));
  let_go(*connection, side);
  if (end.stream != nullptr) {
    end.stream->readable();
    end.stream->writable(Duration::zero());
  }
  forget_if_over(*connection);
}

void Network::Impl::let_go(Connection& connection, std::size_t side) {
  Pipe& pipe = connection.pipes[other(side)];
  pipe.under_way = 0;
  pipe.read = 0;
  const End& peer = connection.ends[other(side)];
  if (!peer.open || peer.stream == nullptr) return;
  peer.stream->writable(latency(connection.ends[side].host, peer.host));
}

void Network::Impl::expect_progress(const ConnectionRef& connection, std::size_t side) {
  Pipe& pipe = connection->pipes[side];
  if (pipe.giving_up != 0) return;
  pipe.giving_up = after(options.gives_up, [this, connection, side] {
    connection->pipes[side].giving_up = 0;
    give_up(connection, side);
  });
}

void Network::Impl::give_up(const ConnectionRef& connection, std::size_t side) {
  Pipe& pipe = connection->pipes[side];
  pipe.orphaned = true;
  pipe.chunks.clear();
  timeline.cancel(std::exchange(pipe.arriving, 0));
  fail(connection, side, "connection timed out");
}

void Network::Impl::forget_if_over(Connection& connection) {
  for (const End& end : connection.ends)
    if (end.open || end.stream != nullptr) return;
  for (Pipe& pipe : connection.pipes) {
    pipe.chunks.clear();
    timeline.cancel(std::exchange(pipe.arriving, 0));
    timeline.cancel(std::exchange(pipe.giving_up, 0));
  }
  connections.erase(connection.id);
}

std::vector<ConnectionRef> Network::Impl::all() const {
  std::vector<ConnectionRef> all;
  all.reserve(connections.size());
  for (const auto& [id, connection] : connections) all.push_back(connection);
  return all;
}

}  // namespace sluice::sim
