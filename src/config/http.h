// What the settings of [http.descriptors] demand of each other. Internal to config/.
#pragma once

#include <string_view>

#include "config/document.h"
#include "config/settings.h"

namespace sluice::config {

inline constexpr std::string_view kDescriptorsSection = "http.descriptors";

/// Takes names that `headers` lacks out of `order` and `hashed` where the document leaves these at their
/// defaults, so that headers can be replaced alone. Then adds a fault for each name that breaks a rule of
/// Settings::Http::Descriptors, at its place. Each setting must have been read without a fault.
void settle_descriptors(const Table& document, Settings::Http::Descriptors& descriptors, Faults& faults);

}  // namespace sluice::config
