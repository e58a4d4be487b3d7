// Aim: every fault of a file that the table of settings can tell is reported, all in one pass, in order of
// place, in words that name the fault and what would be right. Method: a table of bad files with their exact
// texts.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "problems.h"

namespace sluice::config {
namespace {

struct BadFile {
  std::string_view toml;
  Texts expected;
};

void expect_texts(const std::vector<BadFile>& files) {
  for (const BadFile& file : files) EXPECT_EQ(problems(file.toml), file.expected) << file.toml;
}

TEST(Reader, NotToml) {
  const std::string first = problems("[server]\nsocket = \n").at(0);
  EXPECT_TRUE(first.starts_with("sluice.toml:2:10: Error while parsing key-value pair")) << first;
  EXPECT_EQ(problems("[server]\nsocket = \n[store\n").size(), 1U);
}

TEST(Reader, UnknownNames) {
  expect_texts({
      {"[[rule]]\nname = \"per-user\"\nlimit = \"5/s\"\n  algoritm = \"fixed_window\"\n",
       {R"(sluice.toml:4:3: unknown key "algoritm" in [[rule]] "per-user"; did you mean "algorithm"?)"}},
      {"[server]\nsokcet = 1\n",
       {R"(sluice.toml:2:1: unknown key "sokcet" in [server]; did you mean "socket"?)"}},
      {"[server]\nzzzzzz = 1\n", {R"(sluice.toml:2:1: unknown key "zzzzzz" in [server])"}},
      {"[sever]\na = 1\n", {R"(sluice.toml:1:2: unknown section "sever"; did you mean "server"?)"}},
      {"[[rules]]\nname = \"a\"\n", {R"(sluice.toml:1:3: unknown section "rules"; did you mean "rule"?)"}},
      {"socket = \"/s\"\n",
       {R"(sluice.toml:1:1: "socket" stands outside of any section; it belongs below [server])"}},
      {"burst = 5\n",
       {R"(sluice.toml:1:1: "burst" stands outside of any section; it belongs below [[rule]])"}},
      {"foo = 1\n", {R"(sluice.toml:1:1: unknown key "foo" outside of any section)"}},
      {"[[rule]]\nname = \"a\"\nlimit = 0\noverride = [{ match = { u = \"*\" }, limt = 1, limit = 0 }]\n",
       {R"(sluice.toml:4:36: unknown key "limt" in an override of [[rule]] "a"; did you mean "limit"?)"}},
      {"[[bypass]]\nmatch = { a = \"b\" }\nmach = 1\n",
       {R"(sluice.toml:3:1: unknown key "mach" in [[bypass]]; did you mean "match"?)"}},
      {"[server]\n\"a\\nb\" = 1\n", {R"(sluice.toml:2:1: unknown key "a\x0ab" in [server])"}},
  });
}

TEST(Reader, WrongShapes) {
  expect_texts({
      {"server = 5\n", {"sluice.toml:1:10: server must be a table, written [server], not an integer"}},
      {"[[server]]\n", {"sluice.toml:1:1: server must be a table, written [server], not an array"}},
      {"[rule]\nname = \"a\"\n",
       {"sluice.toml:1:1: rule must be an array of tables, written [[rule]], not a table"}},
      {"rule = [1]\n",
       {"sluice.toml:1:9: rule must be an array of tables, written [[rule]], not an integer"}},
      {"[[rule]]\nname = \"a\"\nlimit = 0\noverride = \"x\"\n",
       {"sluice.toml:4:12: override must be an array of tables, written [[rule.override]], not a string"}},
  });
}

TEST(Reader, WrongTypes) {
  expect_texts({
      {"[server]\nsocket = 5\n", {"sluice.toml:2:10: socket must be a string, not an integer"}},
      {"[server]\nmax_wait = 20\n",
       {R"(sluice.toml:2:12: max_wait must be a duration such as "250ms", "10s" or "5m", not an )"
        "integer"}},
      {"[server]\nsocket_mode = 0o660\n",
       {R"(sluice.toml:2:15: socket_mode must be a string of octal digits such as "0660", not an integer)"}},
      {"[server]\nmax_connections = \"many\"\n",
       {"sluice.toml:2:19: max_connections must be an integer, not a string"}},
      {"[server]\nmax_connections = 1.5\n",
       {"sluice.toml:2:19: max_connections must be an integer, not a number with a fraction"}},
      {"[log]\nlevel = true\n", {"sluice.toml:2:9: level must be a string, not a boolean"}},
      {"[address]\ndescriptors = \"ip\"\n",
       {R"(sluice.toml:2:15: descriptors must be a list of strings, not "ip")"}},
      {"[address]\ndescriptors = [\"ip\", 5]\n",
       {"sluice.toml:2:22: descriptors must be a list of strings, but this is an integer"}},
      {"[[rule]]\nname = \"a\"\nlimit = 5\nshadow = \"yes\"\nwarn_at = \"x\"\nmatch = \"user\"\n",
       {R"(sluice.toml:3:9: limit must be a rate such as "100/minute", "unlimited" or 0, not 5: a period )"
        "is missing",
        R"(sluice.toml:4:10: shadow must be true or false, not "yes")",
        R"(sluice.toml:5:11: warn_at must be a number above 0 and up to 1, not "x")",
        R"(sluice.toml:6:9: match must be a table such as { user = "*" }, not "user")"}},
      {"[[rule]]\nname = \"a\"\nlimit = 2024-01-01\nmatch = { user = 5, ip = [\"::1\", 5] }\n",
       {R"(sluice.toml:3:9: limit must be a rate such as "100/minute", "unlimited" or 0, not a date or )"
        "time",
        "sluice.toml:4:18: match.user must be a string or a list of strings, not an integer",
        "sluice.toml:4:34: match.ip must be a string or a list of strings, but this is an integer"}},
  });
}

TEST(Reader, OutOfRange) {
  expect_texts({
      {"[server]\nmax_wait = \"999us\"\n",
       {"sluice.toml:2:12: max_wait is 999us; it must be from 1ms to 10s"}},
      {"[server]\nmax_wait = \"11s\"\n", {"sluice.toml:2:12: max_wait is 11s; it must be from 1ms to 10s"}},
      {"[server]\nmax_connections = 0\n",
       {"sluice.toml:2:19: max_connections is 0; it must be from 1 to 100000"}},
      {"[server]\nsocket_mode = \"1777\"\n",
       {"sluice.toml:2:15: socket_mode is 1777; it must be from 0000 to 0777"}},
      {"[server]\nsocket_gid = -1\n",
       {"sluice.toml:2:14: socket_gid is -1; it must be from 0 to 4294967294"}},
      {"[address]\nipv6_prefix = 129\n", {"sluice.toml:2:15: ipv6_prefix is 129; it must be from 1 to 128"}},
      {"[[rule]]\nname = \"a\"\nlimit = 0\nwarn_at = 0\n",
       {"sluice.toml:4:11: warn_at is 0; it must be a number above 0 and up to 1"}},
      {"[[rule]]\nname = \"a\"\nlimit = 0\nwarn_at = nan\n",
       {"sluice.toml:4:11: warn_at is nan; it must be a number above 0 and up to 1"}},
      {"[[rule]]\nname = \"a\"\nlimit = \"5/s\"\nburst = 0\n",
       {"sluice.toml:4:9: burst is 0; it must be from 1 to 9007199254740991"}},
  });
}

TEST(Reader, UnknownWords) {
  expect_texts({
      {"[store]\nkind = \"rdis\"\n",
       {R"(sluice.toml:2:8: unknown kind "rdis"; known: "memory", "redis"; did you mean "redis"?)"}},
      {"[log]\nlevel = \"wran\"\n",
       {R"(sluice.toml:2:9: unknown level "wran"; known: "debug", "info", "warn", )"
        R"("error"; did you mean "warn"?)"}},
      {"[[rule]]\nname = \"a\"\nlimit = 0\non_store_failure = \"perhaps\"\n",
       {R"(sluice.toml:4:20: unknown on_store_failure "perhaps"; known: "share", "allow", "deny")"}},
  });
}

TEST(Reader, FurtherChecks) {
  const std::string path = "/" + std::string(107, 'x');
  EXPECT_EQ(
      problems("[server]\nsocket = \"" + path + "\"\n"),
      (Texts{
          "sluice.toml:2:10: socket is 108 bytes long, but the path of a Unix socket can have at most 107"}));
  expect_texts({
      {"[server]\nsocket = \"sluice.sock\"\ntcp = \"0.0.0.0:80\"\n",
       {R"(sluice.toml:2:10: socket must be an absolute path, not "sluice.sock")",
        "sluice.toml:3:7: tcp must name a loopback address (127.0.0.0/8, [::1] or localhost), not "
        R"("0.0.0.0": the )"
        "protocols have no authentication"}},
  });
}

TEST(Reader, Missing) {
  expect_texts({
      {"\n [[rule]]\n", {"sluice.toml:2:2: [[rule]] has no limit", "sluice.toml:2:2: [[rule]] has no name"}},
      {"[[rule]]\nname = \"a\"\n[[bypass]]\n",
       {R"(sluice.toml:1:1: [[rule]] "a" has no limit)", "sluice.toml:3:1: [[bypass]] has no match"}},
      {"[[rule]]\nname = \"a\"\nlimit = 0\n[[rule.override]]\n",
       {R"(sluice.toml:4:1: an override of [[rule]] "a" has no limit)",
        R"(sluice.toml:4:1: an override of [[rule]] "a" has no match)"}},
  });
}

TEST(Reader, DuplicateNamesPointAtTheLaterOnes) {
  expect_texts({
      {"[[rule]]\nname = \"a\"\nlimit = 0\n[[rule]]\nname = \"b\"\nlimit = 0\n[[rule]]\nlimit = 0\nname = "
       "\"a\"\n[[rule]]\n"
       "name = \"a\"\nlimit = 0\n",
       {R"(sluice.toml:9:8: rule name "a" is already used in line 2)",
        R"(sluice.toml:11:8: rule name "a" is already used in line 2)"}},
  });
}

TEST(Reader, AllFaultsInOrderOfPlace) {
  expect_texts({
      {"[log]\nlevel = \"x\"\n[[rule]]\nname = \"a\"\nlimit = 0\nburst = \"x\"\n[server]\nsocket = "
       "1\n[[rule]]\nlimit = "
       "true\n",
       {R"(sluice.toml:2:9: unknown level "x"; known: "debug", "info", "warn", "error")",
        "sluice.toml:6:9: burst must be an integer, not a string",
        "sluice.toml:8:10: socket must be a string, not an integer", "sluice.toml:9:1: [[rule]] has no name",
        R"(sluice.toml:10:9: limit must be a rate such as "100/minute", "unlimited" or 0, not a boolean)"}},
  });
}

}  // namespace
}  // namespace sluice::config
