// A redis-server of a test's own, on a Unix socket in a temporary directory, and a client that pipelines.
#pragma once

#include <hiredis/hiredis.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "store/redis/reply.h"

namespace sluice::test {

/// SLUICE_TEST_SERVER is another program that takes its options, such as valkey-server.
/// Found on PATH; not finding it is a failure, not a reason to skip. Ends with the object, as does what it
/// wrote. Everything here throws std::runtime_error, which fails the test.
class RedisServer {
 public:
  RedisServer() {
    std::string name = (std::filesystem::temp_directory_path() / "sluice-redis-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    folder_ = name;
    start();
  }
  ~RedisServer() {
    stop();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  [[nodiscard]] std::string socket() const { return (folder_ / "s").string(); }

  /// It keeps nothing: what was in it is gone.
  void restart() {
    stop();
    start();
  }

 private:
  void start() {
    const std::string path = socket();
    const std::string folder = folder_.string();
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error("fork failed");
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // not to outlive a test that crashes
      const char* other = std::getenv("SLUICE_TEST_SERVER");
      const char* program = other != nullptr ? other : "redis-server";
      execlp(program, program, "--port", "0", "--unixsocket", path.c_str(), "--save", "", "--appendonly",
             "no", "--dir", folder.c_str(), "--logfile", "log", static_cast<char*>(nullptr));
      _exit(127);
    }
    wait_until_it_answers();
  }

  void wait_until_it_answers() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    while (std::chrono::steady_clock::now() < deadline) {
      if (waitpid(pid_, nullptr, WNOHANG) == pid_) {
        pid_ = -1;
        throw std::runtime_error("redis-server is not on PATH or does not start");
      }
      const std::unique_ptr<redisContext, void (*)(redisContext*)> probe(redisConnectUnix(socket().c_str()),
                                                                         redisFree);
      if (probe && probe->err == 0) return;
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
    throw std::runtime_error("redis-server does not answer");
  }

  void stop() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
    std::error_code ignored;
    std::filesystem::remove(socket(), ignored);
  }

  std::filesystem::path folder_;
  pid_t pid_ = -1;
};

/// Any number of commands may be appended before their answers are read, in order.
class RedisClient {
 public:
  explicit RedisClient(const RedisServer& server)
      : context_(redisConnectUnix(server.socket().c_str()), redisFree) {
    if (!context_ || context_->err != 0) throw std::runtime_error("cannot connect to redis-server");
  }

  void append(const std::vector<std::string>& command) {
    std::vector<const char*> texts;
    std::vector<std::size_t> sizes;
    for (const std::string& word : command) {
      texts.push_back(word.data());
      sizes.push_back(word.size());
    }
    if (redisAppendCommandArgv(context_.get(), static_cast<int>(command.size()), texts.data(),
                               sizes.data()) != REDIS_OK) {
      throw std::runtime_error("no memory for a command");
    }
  }

  [[nodiscard]] store::redis::Reply read() {
    void* raw = nullptr;
    if (redisGetReply(context_.get(), &raw) != REDIS_OK) {
      throw std::runtime_error(std::string("redis-server is gone: ") + context_->errstr);
    }
    const std::unique_ptr<void, void (*)(void*)> owned(raw, freeReplyObject);
    return converted(*static_cast<const redisReply*>(raw));
  }

  store::redis::Reply ask(const std::vector<std::string>& command) {
    append(command);
    return read();
  }

 private:
  static store::redis::Reply converted(const redisReply& raw) {
    using Kind = store::redis::Reply::Kind;
    store::redis::Reply reply;
    switch (raw.type) {
      case REDIS_REPLY_INTEGER:
        reply.kind = Kind::integer;
        reply.integer = raw.integer;
        break;
      case REDIS_REPLY_STRING:
      case REDIS_REPLY_STATUS:
      case REDIS_REPLY_ERROR:
        reply.kind = raw.type == REDIS_REPLY_STRING   ? Kind::string
                     : raw.type == REDIS_REPLY_STATUS ? Kind::status
                                                      : Kind::error;
        reply.text.assign(raw.str, static_cast<std::size_t>(raw.len));
        break;
      case REDIS_REPLY_ARRAY:
        reply.kind = Kind::array;
        for (std::size_t i = 0; i < raw.elements; ++i) reply.items.push_back(converted(*raw.element[i]));
        break;
      default:
        break;
    }
    return reply;
  }

  std::unique_ptr<redisContext, void (*)(redisContext*)> context_;
};

}  // namespace sluice::test
