// The page at "/", made at build from page/ by cmake/EmbedPage.cmake.
#pragma once

#include <string_view>

namespace sluice::server {

/// One HTML document that needs nothing from elsewhere.
[[nodiscard]] std::string_view page_document();

/// The Content-Security-Policy that lets exactly this document run: its style and its script by their hashes.
[[nodiscard]] std::string_view page_policy();

}  // namespace sluice::server
