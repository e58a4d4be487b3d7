#include "server/sniff.h"

#include <array>
#include <string_view>

namespace sluice::server {

Spoken sniff(std::string_view first_bytes) {
  constexpr std::array<std::string_view, 9> kMethods{"GET ",   "POST ",    "HEAD ",    "PUT ",  "DELETE ",
                                                     "PATCH ", "OPTIONS ", "CONNECT ", "TRACE "};
  bool possible = false;
  for (const std::string_view method : kMethods) {
    if (first_bytes.starts_with(method)) return Spoken::http;
    possible = possible || method.starts_with(first_bytes);
  }
  return possible ? Spoken::undecided : Spoken::resp;
}

}  // namespace sluice::server
