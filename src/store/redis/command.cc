#include "store/redis/command.h"

#include <hiredis/hiredis.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"

namespace sluice::store::redis {

void append_command(std::string& out, std::span<const std::string_view> arguments) {
  SLUICE_ASSERT(!arguments.empty());
  std::vector<const char*> texts;
  std::vector<std::size_t> sizes;
  texts.reserve(arguments.size());
  sizes.reserve(arguments.size());
  for (const std::string_view argument : arguments) {
    texts.push_back(argument.empty() ? "" : argument.data());  // never null: hiredis copies 0 bytes of it
    sizes.push_back(argument.size());
  }
  char* formatted = nullptr;
  // An int in 0.14, a long long in 1.x.
  const auto size =
      redisFormatCommandArgv(&formatted, static_cast<int>(arguments.size()), texts.data(), sizes.data());
  SLUICE_ASSERT(size > 0);
  const std::unique_ptr<char, void (*)(char*)> owned(formatted, &redisFreeCommand);
  out.append(formatted, static_cast<std::size_t>(size));
}

}  // namespace sluice::store::redis
