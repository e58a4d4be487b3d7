// Fuzzes what sluicectl makes of the daemon's answers. Promises: any reply is an answer or an error; what is
// printed is not empty, and for machines one line.
#include <cstddef>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "ctl/answer.h"
#include "fuzz/fuzz.h"
#include "wire/resp/reply_parser.h"
#include "wire/resp/request_parser.h"

namespace sluice::fuzz {

void run(std::string_view bytes) {
  wire::resp::Value value;
  std::size_t consumed = 0;
  std::string error;
  if (wire::resp::parse_reply(bytes, {}, value, consumed, error) != wire::resp::ParseStatus::complete) return;
  const auto answer = ctl::read_answer(value);
  if (!answer) {
    SLUICE_ASSERT(!answer.error().message.empty());
    return;
  }
  SLUICE_ASSERT(!ctl::for_people(*answer).empty());
  const std::string line = ctl::for_machines(*answer);
  SLUICE_ASSERT(line.starts_with('{') && line.ends_with('}') && !line.contains('\n'));
}

}  // namespace sluice::fuzz
