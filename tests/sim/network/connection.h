// A connection as the two kernels see it, inside network/.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "sim/core/timeline.h"
#include "sim/network/network.h"

namespace sluice::sim {

class SimStream;

enum class Parcel : std::uint8_t {
  hello,  ///< the last step of the handshake: the listener learns of the connection
  bytes,
  end,    ///< FIN
  reset,  ///< RST
};

struct Chunk {
  SimTime arrival{};  ///< not before that of the chunk in front of it
  Parcel kind = Parcel::bytes;
  std::string bytes{};
};

/// What is on its way from one end to the other.
struct Pipe {
  std::string label{};  ///< "a:port>b"
  std::deque<Chunk> chunks{};
  SimTime last_arrival{};
  Timeline::EventId arriving = 0;  ///< of the first chunk
  bool held = false;               ///< nothing gets through: nothing arrives until it is released
  bool unacknowledged = false;     ///< something arrived, but word of that cannot get back
  bool orphaned = false;           ///< who sent it has forgotten it: what is lost is not sent again
  std::size_t under_way = 0;       ///< bytes that the sender knows of as not yet read
  std::size_t read = 0;            ///< of these those that were read without its knowing
  Timeline::EventId giving_up = 0;
};

struct End {
  HostId host = 0;
  std::uint16_t port = 0;
  SimStream* stream = nullptr;  ///< null once its owner destroyed it, and before the hello
  bool open = true;             ///< the kernel has the socket, in working order
  bool accepted = false;        ///< a process has it, or had
  std::string received{};       ///< that the process has not read
  bool ended = false;           ///< the peer's FIN came
  std::string error{};          ///< why it is not open, if the process has to hear of that
};

struct Connection {
  Network::Impl* network = nullptr;  ///< null when that is gone
  std::uint64_t id = 0;
  std::uint64_t listener = 0;
  std::array<End, 2> ends{};    ///< who dialled, who listened
  std::array<Pipe, 2> pipes{};  ///< from the end of the same index
};

inline std::size_t other(std::size_t side) {
  return 1 - side;
}

}  // namespace sluice::sim
