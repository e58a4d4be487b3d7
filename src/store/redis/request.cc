#include "store/redis/request.h"

#include "base/assert.h"
#include "store/redis/script_codec.h"
#include "store/redis/scripts.h"
#include "store/store.h"

namespace sluice::store::redis {
namespace {

Arguments arguments_of(const Request& request, const CallContext& context) {
  switch (request.script) {
    case Script::lease:
      return encode_lease(
          context,
          {.key = request.counter, .limit = &request.limit, .needs = request.needs, .extra = request.amount});
    case Script::give_back: {
      GiveBack give_back;
      give_back.key = request.counter;
      give_back.limit = &request.limit;
      give_back.tokens = request.amount;
      give_back.granted_at = request.granted_at;
      return encode_give_back(context, give_back);
    }
    case Script::peek:
      return encode_peek(context, request.limit, request.amount);
    case Script::reset:
      return encode_reset(context, request.limit);
    case Script::rebook:
      return encode_rebook(context, request.limit, request.lost);
    case Script::attach:
    case Script::announce:
      break;
  }
  assertion_failed("a script that counts", __FILE__, __LINE__);
}

}  // namespace

void encode(Request& request, const CallContext& context, Generation generation) {
  request.lineage = context.lineage;
  request.generation = generation;
  request.arguments = arguments_of(request, context);
}

}  // namespace sluice::store::redis
