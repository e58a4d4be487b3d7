// Which protocol a connection speaks, by its first bytes.
#pragma once

#include <cstdint>
#include <string_view>

namespace sluice::server {

enum class Spoken : std::uint8_t { undecided, resp, http };

/// HTTP when the bytes begin with one of its methods and a space; RESP when they can no longer. No command of
/// RESP has the name of an HTTP method.
[[nodiscard]] Spoken sniff(std::string_view first_bytes);

}  // namespace sluice::server
