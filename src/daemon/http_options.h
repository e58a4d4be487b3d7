// From the settings of [http] to the options of the server.
#pragma once

#include "config/settings.h"
#include "server/http_options.h"

namespace sluice::daemon {

/// `http` must come from a configuration that loaded.
[[nodiscard]] server::HttpOptions http_options(const config::Settings::Http& http);

}  // namespace sluice::daemon
