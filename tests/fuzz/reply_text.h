// Redis' replies as bytes: out of them, and into them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/redis/reply.h"
#include "store/redis/reply_reader.h"

namespace sluice::fuzz {

/// RESP2, as ReplyReader reads it back, but that a status or an error must have no line end in it.
inline void append_reply(std::string& out, const store::redis::Reply& reply) {
  using Kind = store::redis::Reply::Kind;
  const auto line = [&out](char type, std::string_view text) {
    out.append(1, type).append(text).append("\r\n");
  };
  switch (reply.kind) {
    case Kind::nil:
      return line('$', "-1");
    case Kind::integer:
      return line(':', std::to_string(reply.integer));
    case Kind::status:
      return line('+', reply.text);
    case Kind::error:
      return line('-', reply.text);
    case Kind::string:
      line('$', std::to_string(reply.text.size()));
      out.append(reply.text).append("\r\n");
      return;
    case Kind::array:
      break;
  }
  line('*', std::to_string(reply.items.size()));
  for (const store::redis::Reply& item : reply.items) append_reply(out, item);
}

/// The whole replies at the front of `bytes`.
inline std::vector<store::redis::Reply> replies_of(std::string_view bytes) {
  std::vector<store::redis::Reply> replies;
  store::redis::ReplyReader reader({});
  reader.feed(bytes);
  for (auto next = reader.next(); next && *next; next = reader.next()) replies.push_back(**std::move(next));
  return replies;
}

}  // namespace sluice::fuzz
