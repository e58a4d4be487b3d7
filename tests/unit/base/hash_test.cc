// Aim: SHA-256 is SHA-256, the table hash depends on its secret, the stable hash on nothing. Method:
// published vectors; two secrets.
#include "base/hash.h"

#include <gtest/gtest.h>

#include <string>

#include "support/virtual_loop.h"

namespace sluice {
namespace {

TEST(Sha256, MatchesThePublishedVectors) {
  EXPECT_EQ(to_hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(to_hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, ComparesWhole) {
  Sha256 a = sha256("a");
  Sha256 b = a;
  EXPECT_TRUE(equal_in_constant_time(a, b));
  b.back() ^= 1U;
  EXPECT_FALSE(equal_in_constant_time(a, b));
}

TEST(KeyedHash, DiffersBySecretAndAgreesWithItself) {
  test::SeededRandom one(1);
  test::SeededRandom two(2);
  const KeyedHash a(one);
  const KeyedHash b(two);
  for (const std::string& key : {std::string(), std::string("user"), std::string(1000, 'x')}) {
    EXPECT_EQ(a(key), a(key));
    EXPECT_NE(a(key), b(key));
  }
}

// Daemons of different versions must agree: if this fails, the hash is at fault, not the numbers.
TEST(StableHash, NeverChanges) {
  EXPECT_EQ(stable_hash(""), 0x2d06800538d394c2U);
  EXPECT_EQ(stable_hash("abc"), 0x78af5f94892f3950U);
  EXPECT_EQ(stable_hash("abc", 1), stable_hash("abc", 1));
  EXPECT_NE(stable_hash("abc", 1), stable_hash("abc"));
}

}  // namespace
}  // namespace sluice
