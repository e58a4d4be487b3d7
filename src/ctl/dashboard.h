// The picture of `sluicectl top`.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "ctl/screen.h"

namespace sluice::ctl {

/// Draws what /v1/stats says, in lines that each end in "\n". Members that are missing, or not what they
/// should be, are shown as unknown; names and keys are made printable, since they may come from strangers.
/// Error: `stats` is not a JSON object.
[[nodiscard]] Result<std::string> dashboard(std::string_view stats, const ScreenForm& form);

}  // namespace sluice::ctl
