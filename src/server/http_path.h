// One spelling for each path, so that a limit cannot be avoided by another.
#pragma once

#include <string>
#include <string_view>

namespace sluice::server {

/// The path of a request target as the application will most likely understand it: the query cut off, percent
/// escapes decoded once, "//" merged, "." and ".." resolved, a "/" at the end dropped (but for the root).
/// "%2F" stays an escape: it is data within a segment. A target that does not begin with "/" or has a
/// malformed escape is returned without its query, as it is: it then matches no pattern that was meant for
/// paths. A "#" is kept for the same reason; it ends no path here.
[[nodiscard]] std::string normal_path(std::string_view target);

}  // namespace sluice::server
