#include "base/version.h"

#include <string_view>

namespace sluice {

std::string_view version() {
  return SLUICE_VERSION;
}

}  // namespace sluice
