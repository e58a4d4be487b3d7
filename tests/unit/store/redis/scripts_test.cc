// Aim: the embedded scripts are the ones meant, and use nothing that a server we work with lacks.
// Method: their texts are read. What they do is shown by tests/property/store.
#include "store/redis/scripts.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

namespace sluice::store::redis {
namespace {

constexpr auto kAll = {Script::attach, Script::lease,  Script::give_back, Script::peek,
                       Script::reset,  Script::rebook, Script::announce};

/// The words that follow `before`, wherever it stands.
std::set<std::string> words_after(std::string_view text, std::string_view before) {
  std::set<std::string> words;
  for (auto at = text.find(before); at != std::string_view::npos; at = text.find(before, at + 1)) {
    const std::string_view rest = text.substr(at + before.size());
    words.emplace(rest.substr(0, rest.find_first_of("' (,)=\n")));
  }
  return words;
}

TEST(Scripts, AreNamedByTheirSha1) {
  const Scripts scripts;
  std::set<std::string> names;
  std::set<std::string> hashes;
  for (const Script script : kAll) {
    const ScriptText& text = scripts[script];
    // That it is right is what a server says, in tests/property/store.
    EXPECT_EQ(text.sha1.size(), 40U);
    names.emplace(text.name);
    hashes.emplace(text.sha1);
  }
  EXPECT_EQ(names,
            (std::set<std::string>{"announce", "attach", "give_back", "lease", "peek", "rebook", "reset"}));
  EXPECT_EQ(hashes.size(), kScripts);
  EXPECT_EQ(scripts[Script::lease].name, "lease");
  EXPECT_NE(scripts[Script::lease].source.find("-- Debits tokens"), std::string_view::npos);
}

TEST(Scripts, CallOnlyWhatEveryServerLetsScriptsCall) {
  const Scripts scripts;
  for (const Script script : kAll) {
    const std::string_view source = scripts[script].source;
    std::set<std::string> commands = words_after(source, "call('");
    EXPECT_FALSE(commands.empty());
    for (const char* known :
         {"GET", "SET", "DEL", "TIME", "HMGET", "HSET", "HINCRBY", "HGETALL", "HDEL", "INFO"}) {
      commands.erase(known);
    }
    EXPECT_EQ(commands, std::set<std::string>{});
    EXPECT_EQ(words_after(source, "call(").size(), 1) << "a command must be named where it is called";
    for (const char* lacking :
         {"cjson", "cmsgpack", "struct.", "bit.", "loadstring", "_G", "unpack", "goto "}) {
      EXPECT_EQ(source.find(lacking), std::string_view::npos) << lacking;
    }
    // A global would be shared by all scripts: Redis refuses it, but only once the line runs.
    EXPECT_EQ(source.find("\nfunction "), std::string_view::npos);
    const bool is_attach = script == Script::attach;
    EXPECT_EQ(source.find("'INFO'") != std::string_view::npos, is_attach) << "it is too slow for every call";
  }
}

}  // namespace
}  // namespace sluice::store::redis
