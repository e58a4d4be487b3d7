#include "store/redis/reply_reader.h"

#include <fmt/format.h>
#include <hiredis/hiredis.h>
#include <hiredis/read.h>

#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/text.h"
#include "store/redis/reply.h"

namespace sluice::store::redis {
namespace {

constexpr int kMaxDepth = 7;

#if HIREDIS_MAJOR >= 1
using ElementCount = std::size_t;
#else
using ElementCount = int;
#endif

/// Of an array in arrays, the outermost being 1.
int depth_of(const redisReadTask* task) {
  int depth = 1;
  for (; task->parent != nullptr; task = task->parent) ++depth;
  return depth;
}

}  // namespace

/// What hiredis calls while it reads. Null from any of these makes it give up with an error of its own; ours,
/// which says more, is kept here.
struct ReplyReader::Builder {
  ReplyLimits limits;
  std::size_t held = 0;  ///< bytes of the reply under way
  std::string fault;

  [[nodiscard]] static Builder& of(const redisReadTask* task) {
    return *static_cast<Builder*>(task->privdata);
  }

  void* refuse(std::string why) {
    if (fault.empty()) fault = std::move(why);
    return nullptr;
  }

  /// The place of a new object: in its array, or on its own. Null if the reply gets too large by it.
  Reply* place(const redisReadTask* task, Reply::Kind kind, std::size_t bytes) {
    if (task->parent == nullptr) held = sizeof(Reply);
    if (bytes > limits.max_bytes || held > limits.max_bytes - bytes) {
      refuse(fmt::format("a reply of more than {} bytes", limits.max_bytes));
      return nullptr;
    }
    held += bytes;
    Reply* reply = nullptr;
    if (task->parent == nullptr) {
      reply = new Reply;  // hiredis' until it hands it out, see take() and release()
    } else {
      reply = &static_cast<Reply*>(task->parent->obj)->items[static_cast<std::size_t>(task->idx)];
    }
    reply->kind = kind;
    return reply;
  }

  static void* string(const redisReadTask* task, char* text, std::size_t size) {
    const auto kind_of = [](int type) -> std::optional<Reply::Kind> {
      switch (type) {
        case REDIS_REPLY_STRING:
          return Reply::Kind::string;
        case REDIS_REPLY_STATUS:
          return Reply::Kind::status;
        case REDIS_REPLY_ERROR:
          return Reply::Kind::error;
        default:
          return std::nullopt;
      }
    };
    const auto kind = kind_of(task->type);
    if (!kind) return of(task).refuse("a reply that RESP2 does not have");
    Reply* reply = of(task).place(task, *kind, size);
    if (reply != nullptr) reply->text.assign(text, size);
    return reply;
  }

  static void* array(const redisReadTask* task, ElementCount announced) {
    Builder& self = of(task);
    const auto count = static_cast<std::size_t>(announced);
    if (task->type != REDIS_REPLY_ARRAY) return self.refuse("a reply that RESP2 does not have");
    if (depth_of(task) > kMaxDepth)
      return self.refuse(fmt::format("arrays nested more than {} deep", kMaxDepth));
    if (count > self.limits.max_elements)
      return self.refuse(fmt::format("an array of more than {} elements", self.limits.max_elements));
    if (count > self.limits.max_bytes / sizeof(Reply))
      return self.refuse(fmt::format("a reply of more than {} bytes", self.limits.max_bytes));
    Reply* reply = self.place(task, Reply::Kind::array, count * sizeof(Reply));
    if (reply != nullptr) reply->items.resize(count);
    return reply;
  }

  static void* integer(const redisReadTask* task, long long value) {
    Reply* reply = of(task).place(task, Reply::Kind::integer, 0);
    if (reply != nullptr) reply->integer = value;
    return reply;
  }

  static void* nil(const redisReadTask* task) { return of(task).place(task, Reply::Kind::nil, 0); }

#if HIREDIS_MAJOR >= 1
  static void* no_double(const redisReadTask* task, double /*value*/, char* /*text*/, std::size_t /*size*/) {
    return of(task).refuse("a reply that RESP2 does not have");
  }
  static void* no_bool(const redisReadTask* task, int /*value*/) {
    return of(task).refuse("a reply that RESP2 does not have");
  }
#endif

  /// Only ever called for outermost objects, which own the rest.
  static void release(void* reply) { delete static_cast<Reply*>(reply); }

  static redisReplyObjectFunctions* functions() {
    // Not written to by hiredis, whose type is just older than const.
    static redisReplyObjectFunctions table = [] {
      redisReplyObjectFunctions made{};
      made.createString = &string;
      made.createArray = &array;
      made.createInteger = &integer;
      made.createNil = &nil;
      made.freeObject = &release;
#if HIREDIS_MAJOR >= 1
      made.createDouble = &no_double;
      made.createBool = &no_bool;
#endif
      return made;
    }();
    return &table;
  }
};

ReplyReader::ReplyReader(const ReplyLimits& limits)
    : builder_(std::make_unique<Builder>()),
      reader_(redisReaderCreateWithFunctions(Builder::functions()), &redisReaderFree) {
  if (reader_ == nullptr) throw std::bad_alloc{};
  builder_->limits = limits;
  reader_->privdata = builder_.get();
}

ReplyReader::~ReplyReader() = default;

void ReplyReader::feed(std::string_view bytes) {
  // Fails only after an error, which next() reports.
  redisReaderFeed(reader_.get(), bytes.data(), bytes.size());
}

Result<std::optional<Reply>> ReplyReader::next() {
  std::string& fault = builder_->fault;
  void* object = nullptr;
  if (fault.empty() && redisReaderGetReply(reader_.get(), &object) != REDIS_OK && fault.empty())
    fault = printable(std::string_view(reader_->errstr), sizeof(reader_->errstr));
  const std::unique_ptr<Reply> reply(static_cast<Reply*>(object));
  if (!fault.empty()) return failure(fault);
  if (reply != nullptr) return std::optional<Reply>(std::move(*reply));
  // hiredis reads a string when all of it is there, so what it announced is bounded by what we keep for it.
  if (reader_->len - reader_->pos > builder_->limits.max_bytes)
    fault = fmt::format("a reply of more than {} bytes", builder_->limits.max_bytes);
  if (!fault.empty()) return failure(fault);
  return std::optional<Reply>();
}

}  // namespace sluice::store::redis
