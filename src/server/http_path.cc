#include "server/http_path.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "wire/http1/response_writer.h"

namespace sluice::server {
namespace {

/// The segments that are left when empty ones and "." are dropped and ".." takes back the one before it.
std::vector<std::string> resolve(std::string_view path) {
  std::vector<std::string> segments;
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const std::size_t slash = path.find('/');
    const std::string_view segment = path.substr(0, slash);
    path = slash == std::string_view::npos ? std::string_view{} : path.substr(slash);
    if (segment == "..") {
      if (!segments.empty()) segments.pop_back();
    } else if (!segment.empty() && segment != ".") {
      segments.emplace_back(segment);
    }
  }
  return segments;
}

/// Decodes what is not a slash. false on a malformed escape.
bool decode_segments(std::string_view path, std::string& out) {
  std::string kept;
  for (std::size_t at = 0; at < path.size(); ++at) {
    // The escape's own percent sign is escaped, so that decoding gives the escape back.
    const std::string_view escape = path.substr(at, 3);
    if (escape == "%2F" || escape == "%2f") {
      kept += "%252F";
      at += 2;
    } else {
      kept += path[at];
    }
  }
  return wire::http1::percent_decode(kept, out);
}

}  // namespace

std::string normal_path(std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  std::string decoded;
  if (!path.starts_with('/') || !decode_segments(path, decoded)) return std::string(path);
  std::string out;
  for (const std::string& segment : resolve(decoded)) out.append("/").append(segment);
  return out.empty() ? "/" : out;
}

}  // namespace sluice::server
