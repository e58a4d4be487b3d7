#include "store/redis/scripts.h"

#include "store/redis/script_sources.h"

namespace sluice::store::redis {

// In the order of Script.
Scripts::Scripts()
    : texts_{embedded::attach(), embedded::lease(),  embedded::give_back(), embedded::peek(),
             embedded::reset(),  embedded::rebook(), embedded::announce()} {}

}  // namespace sluice::store::redis
