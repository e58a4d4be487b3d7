// Aim: each command answers as documented, in both protocols, and faults are told helpfully. Method: exact
// bytes.
#include "server/commands.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "unit/server/fixture.h"

namespace sluice::server {
namespace {

using test::command;
using test::FakeWire;
using test::ServerRig;

TEST(Commands, CheckInResp2) {
  ServerRig rig;
  EXPECT_EQ(rig.ask({"CHECK", "user=1"}), "*6\r\n:1\r\n:5\r\n:4\r\n:0\r\n:720000\r\n$8\r\nper-user\r\n");
  EXPECT_EQ(rig.ask({"check", "user=1", "cost", "4"}),
            "*6\r\n:1\r\n:5\r\n:0\r\n:0\r\n:3600000\r\n$8\r\nper-user\r\n");
  EXPECT_EQ(rig.ask({"CHECK", "user=1"}),
            "*6\r\n:0\r\n:5\r\n:0\r\n:720000\r\n:3600000\r\n$8\r\nper-user\r\n");
  EXPECT_EQ(rig.ask({"CHECK", "user=2", "COST", "6"}),
            "*6\r\n:0\r\n:5\r\n:5\r\n:-1\r\n:0\r\n$8\r\nper-user\r\n");
  EXPECT_EQ(rig.ask({"CHECK", "other=1"}), "*6\r\n:1\r\n:-1\r\n:-1\r\n:0\r\n:0\r\n$0\r\n\r\n");
}

TEST(Commands, CheckInResp3IsAMap) {
  ServerRig rig;
  FakeWire& wire = rig.connect();
  rig.send(wire, command({"HELLO", "3"}));
  wire.received.clear();
  rig.send(wire, command({"CHECK", "user=1", "COST", "5"}));
  EXPECT_EQ(wire.received,
            "%8\r\n$7\r\nallowed\r\n#t\r\n$5\r\nlimit\r\n:5\r\n$9\r\nremaining\r\n:0\r\n$14\r\nretry_after_"
            "ms\r\n:0\r\n"
            "$14\r\nreset_after_ms\r\n:3600000\r\n$4\r\nrule\r\n$8\r\nper-user\r\n$7\r\nwarning\r\n#t\r\n"
            "$8\r\ndegraded\r\n#f\r\n");
}

TEST(Commands, PeekRefundReset) {
  ServerRig rig;
  static_cast<void>(rig.ask({"CHECK", "user=1", "COST", "3"}));
  EXPECT_TRUE(rig.ask({"PEEK", "user=1"}).starts_with("*6\r\n:1\r\n:5\r\n:2\r\n"));
  EXPECT_TRUE(rig.ask({"PEEK", "user=1", "COST", "3"}).starts_with("*6\r\n:0\r\n:5\r\n:2\r\n:720000\r\n"));
  EXPECT_TRUE(rig.ask({"REFUND", "user=1"}).starts_with("*6\r\n:1\r\n:5\r\n:3\r\n"));
  EXPECT_EQ(rig.ask({"RESET", "user=1"}), ":1\r\n");
  EXPECT_EQ(rig.ask({"RESET", "other=1"}), ":0\r\n");
  EXPECT_TRUE(rig.ask({"PEEK", "user=1"}).starts_with("*6\r\n:1\r\n:5\r\n:5\r\n"));
}

TEST(Commands, FaultsSayWhatWouldBeRight) {
  ServerRig rig;
  const std::vector<std::pair<std::vector<std::string_view>, std::string>> cases{
      {{"CHECK"}, "-ERR wrong number of arguments; usage: CHECK name=value [name=value …] [COST n]\r\n"},
      {{"CHECK", "user"}, "-ERR \"user\" is not name=value\r\n"},
      {{"CHECK", "=1"}, "-ERR \"=1\" is not name=value\r\n"},
      {{"CHECK", "u\n=1", "u\n=2"}, "-ERR descriptor \"u\\x0a\" is given twice\r\n"},
      {{"CHECK", "COST", "1"}, "-ERR at least one name=value is needed\r\n"},
      {{"CHECK", "user=1", "COST"}, "-ERR COST and its number come last: … COST n\r\n"},
      {{"CHECK", "user=1", "COST", "1", "a=b"}, "-ERR COST and its number come last: … COST n\r\n"},
      {{"CHECK", "user=1", "COST", "-1"},
       "-ERR COST must be a whole number from 0 to 9007199254740991, not \"-1\"\r\n"},
      {{"CHECK", "user=1", "COST", "9007199254740992"},
       "-ERR COST must be a whole number from 0 to 9007199254740991, not \"9007199254740992\"\r\n"},
      {{"CHEK", "user=1"}, "-ERR unknown command 'CHEK'; did you mean \"CHECK\"?\r\n"},
      {{"\xff\r\n"}, "-ERR unknown command '\\xff\\x0d\\x0a'\r\n"},
      {{"SELECT", "1"}, "-ERR DB index is out of range: there is only 0\r\n"},
      {{"HELLO", "4"}, "-NOPROTO unsupported protocol version\r\n"},
      {{"CL.THROTTLE", "k", "1", "1", "x"}, "-ERR Couldn't parse as integer: x\r\n"},
      {{"CL.THROTTLE", "k", "-1", "1", "1"}, "-ERR max_burst is out of range: 0 to 9007199254740990\r\n"},
      {{"CL.THROTTLE", "k", "1", "1", "0"},
       "-ERR period must be at least 1 second: zero rates are not supported\r\n"},
      {{"CL.THROTTLE", "k", "1", "1", "1", "-1"},
       "-ERR quantity must be a whole number from 0 to 9007199254740991, not \"-1\"\r\n"},
  };
  for (const auto& [words, answer] : cases) EXPECT_EQ(rig.ask(words), answer);
}

TEST(Commands, TooManyDescriptorsAreRefused) {
  ServerRig rig;
  std::vector<std::string> texts;
  for (int i = 0; i < 33; ++i) texts.push_back("d" + std::to_string(i) + "=x");
  std::vector<std::string_view> words{"CHECK"};
  words.insert(words.end(), texts.begin(), texts.end());
  EXPECT_EQ(rig.ask(words), "-ERR more than 32 descriptors\r\n");
  words.pop_back();
  EXPECT_TRUE(rig.ask(words).starts_with("*6\r\n:1\r\n"));
}

TEST(Commands, HandshakesOfStockClients) {
  ServerRig rig;
  FakeWire& wire = rig.connect();
  const auto ask = [&](const std::vector<std::string_view>& words) {
    wire.received.clear();
    rig.send(wire, command(words));
    return wire.received;
  };
  EXPECT_EQ(ask({"PING"}), "+PONG\r\n");
  EXPECT_EQ(ask({"PING", "x"}), "$1\r\nx\r\n");
  EXPECT_EQ(ask({"AUTH", "u", "p"}), "+OK\r\n");
  EXPECT_EQ(ask({"SELECT", "0"}), "+OK\r\n");
  EXPECT_EQ(ask({"CLIENT", "GETNAME"}), "$-1\r\n");
  EXPECT_EQ(ask({"CLIENT", "SETNAME", "me"}), "+OK\r\n");
  EXPECT_EQ(ask({"CLIENT", "SETNAME", "a b"}).substr(0, 5), "-ERR ");
  EXPECT_EQ(ask({"CLIENT", "GETNAME"}), "$2\r\nme\r\n");
  EXPECT_EQ(ask({"CLIENT", "SETINFO", "LIB-NAME", "x"}), "+OK\r\n");
  EXPECT_EQ(ask({"CLIENT", "ID"}), ":1\r\n");
  EXPECT_EQ(ask({"HELLO", "3", "AUTH", "u", "p", "SETNAME", "you"}),
            "%7\r\n$6\r\nserver\r\n$6\r\nsluice\r\n$7\r\nversion\r\n$5\r\n0.1.0\r\n$5\r\nproto\r\n:3\r\n$"
            "2\r\nid\r\n:1\r\n"
            "$4\r\nmode\r\n$10\r\nstandalone\r\n$4\r\nrole\r\n$6\r\nmaster\r\n$7\r\nmodules\r\n*0\r\n");
  EXPECT_EQ(ask({"COMMAND", "COUNT"}), ":15\r\n");
  EXPECT_EQ(ask({"COMMAND", "INFO", "check", "nope"}),
            "*2\r\n*6\r\n$5\r\nCHECK\r\n:-2\r\n*0\r\n:0\r\n:0\r\n:0\r\n_\r\n");
  EXPECT_TRUE(ask({"COMMAND", "DOCS"}).starts_with("%15\r\n"));
  EXPECT_NE(ask({"INFO"}).find("loading:0"), std::string::npos);
  EXPECT_EQ(ask({"CONFIG", "GET", "save"}), "%1\r\n$4\r\nsave\r\n$0\r\n\r\n");
  EXPECT_EQ(ask({"CONFIG", "GET", "maxmemory"}), "%0\r\n");
  EXPECT_EQ(ask({"CONFIG", "SET", "save", ""}).substr(0, 5), "-ERR ");
  EXPECT_EQ(ask({"RESET"}), "+RESET\r\n");
  EXPECT_EQ(ask({"CLIENT", "GETNAME"}), "$-1\r\n") << "RESP2 again, and no name";
}

}  // namespace
}  // namespace sluice::server
