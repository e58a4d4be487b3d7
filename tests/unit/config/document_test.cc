// Aim: the document model keeps every kind of value and its place; what is not TOML gives one fault with its
// place. Method: small documents, each value and place compared.
#include "config/document.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::config {
namespace {

const Value& value_of(const Table& table, std::string_view key) {
  static const Value nothing{};
  const Entry* const entry = table.find(key);
  EXPECT_NE(entry, nullptr) << key;
  return entry != nullptr ? entry->value : nothing;
}

TEST(Document, FindsValuesFromTableToTable) {
  const auto document = parse_document("[a]\nb = { c = 5 }\nlist = [{ c = 6 }]\n");
  ASSERT_TRUE(document);
  const Value* const found = find_value(*document, {"a", "b", "c"});
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->place, (Place{2, 11}));
  EXPECT_NE(find_value(*document, {"a", "b"}), nullptr);
  EXPECT_EQ(find_value(*document, {"a", "x"}), nullptr);
  EXPECT_EQ(find_value(*document, {"x", "b"}), nullptr);
  EXPECT_EQ(find_value(*document, {"a", "list", "c"}), nullptr);
  EXPECT_EQ(find_value(*document, {"a", "b", "c", "d"}), nullptr);
}

TEST(Document, KeepsValuesOfEveryKind) {
  const auto document =
      parse_document("s = 'x'\ni = -5\nf = 2.5\nb = true\nd = 2024-01-01\na = [1, 'two']\nt = { k = 1 }\n");
  ASSERT_TRUE(document);
  EXPECT_EQ(std::get<std::string>(value_of(*document, "s").data), "x");
  EXPECT_EQ(std::get<std::int64_t>(value_of(*document, "i").data), -5);
  EXPECT_EQ(std::get<double>(value_of(*document, "f").data), 2.5);
  EXPECT_EQ(std::get<bool>(value_of(*document, "b").data), true);
  EXPECT_EQ(kind_of(value_of(*document, "d")), "a date or time");
  const auto& array = std::get<Array>(value_of(*document, "a").data);
  ASSERT_EQ(array.size(), 2U);
  EXPECT_EQ(kind_of(array[0]), "an integer");
  EXPECT_EQ(kind_of(array[1]), "a string");
  EXPECT_EQ(kind_of(value_of(std::get<Table>(value_of(*document, "t").data), "k")), "an integer");
  EXPECT_EQ(document->find("absent"), nullptr);
}

TEST(Document, KnowsPlaces) {
  const auto document = parse_document("\n  key = 'v'\nlist = [1,\n  2]\n [table]\n");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->find("key")->place, (Place{2, 3}));
  EXPECT_EQ(value_of(*document, "key").place, (Place{2, 9}));
  EXPECT_EQ(std::get<Array>(value_of(*document, "list").data)[1].place, (Place{4, 3}));
  EXPECT_EQ(value_of(*document, "table").place, (Place{5, 2}));
}

TEST(Document, SyntaxFaultHasItsPlace) {
  const auto document = parse_document("a = 1\nb = [1,, 2]\n");
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().place, (Place{2, 8}));
  EXPECT_FALSE(document.error().message.empty());
}

TEST(Document, TheSameKeyTwiceIsAFault) {
  const auto document = parse_document("a = 1\na = 2\n");
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().place.line, 2U);
}

TEST(Document, LargestAndTooLarge) {
  std::string text = "a = 1\n#";
  text.resize(kMaxDocumentBytes, '-');
  EXPECT_TRUE(parse_document(text));
  const auto larger = parse_document(text + "-");
  ASSERT_FALSE(larger);
  EXPECT_EQ(larger.error().message, "is larger than 4 MiB");
  EXPECT_EQ(larger.error().place, Place{});
}

// toml++ alone aborts, or has undefined behaviour, on these.
TEST(Document, WrongCharactersAreFaults) {
  for (const std::string text :
       {"ä = 1\n", "a = ä\n", "a = 1 ä\n", "[ä]\n", "a = \u0416\n", "[=]\n", "[,", "a = 1\nb.= 2\n"}) {
    const auto document = parse_document(text);
    ASSERT_FALSE(document) << text;
    EXPECT_GT(document.error().place.line, 0U) << text;
  }
  EXPECT_TRUE(parse_document("\"ä\" = 'ö'  # ü\n"));
}

std::string nested(std::size_t dots) {
  std::string key = "a";
  for (std::size_t i = 0; i < dots; ++i) key += ".a";
  return key;
}

TEST(Document, DepthIsBounded) {
  EXPECT_TRUE(parse_document(nested(31) + " = 1\n"));
  const auto deeper = parse_document("x = 1\n" + nested(32) + " = 1\n");
  ASSERT_FALSE(deeper);
  EXPECT_EQ(deeper.error().message, "tables or arrays nested more than 32 deep");
  EXPECT_EQ(deeper.error().place.line, 2U);
  EXPECT_FALSE(parse_document("a = " + std::string(100, '[') + std::string(100, ']')));
  EXPECT_FALSE(parse_document("a = " + std::string(1'000'000, '[')));
}

// Without a bound of ours, toml++ overflows the stack.
TEST(Document, DotsOfAStatementAreBounded) {
  const auto most = parse_document("[" + nested(4000) + "]\n" + nested(4000) + " = 1\n");
  ASSERT_FALSE(most);
  EXPECT_EQ(most.error().message, "tables or arrays nested more than 32 deep");
  const auto more = parse_document("x = 1\n[" + nested(4001) + "]\n");
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().message, "more than 4000 dots outside of strings in one statement; break it up");
  EXPECT_EQ(more.error().place.line, 2U);
  EXPECT_EQ(more.error().place.column, 8003U);
  EXPECT_FALSE(parse_document(nested(2'000'000) + " = 1\n"));
}

/// `levels` tables, each in an array of the one before, under keys of that many dots on lines of their own.
std::string nested_in_arrays(int levels, std::size_t dots) {
  std::string text;
  std::string end;
  for (int i = 0; i < levels; ++i) {
    text += nested(dots) + " = [\n{ ";
    end += " }\n]";
  }
  return text + "x = 1" + end + "\n";
}

TEST(Document, DotsOfTablesInArraysAddUp) {
  const auto few = parse_document(nested_in_arrays(2, 1900));
  ASSERT_FALSE(few);
  EXPECT_EQ(few.error().message, "tables or arrays nested more than 32 deep");
  const auto many = parse_document(nested_in_arrays(100, 3990));
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().message, "more than 4000 dots outside of strings in one statement; break it up");
  EXPECT_EQ(many.error().place.line, 2U);
}

TEST(Document, OnlyDotsThatNestCount) {
  const std::string dots(5000, '.');
  for (const std::string& text : {"a = \"" + dots + "\"\n", "a = '" + dots + "'\n", "a = 1 # " + dots + "\n",
                                  "a = \"\\\"" + dots + "\"\n", "a = \"\"\"\n\"" + dots + "\"\"\"\"\"\n",
                                  "a = \'\'\'\n\'" + dots + "\'\'\'\'\n"}) {
    EXPECT_TRUE(parse_document(text)) << text.substr(0, 20);
  }
  std::string lines;
  for (int i = 0; i < 5000; ++i) lines += "a.b" + std::to_string(i) + " = 1\n";
  EXPECT_TRUE(parse_document(lines));
  // A string that ends early hides nothing of what follows it.
  for (const char* const before : {"a = [\"\"\"b\"\"\"\"\", {", "a = ['', \"\", {", "a = [\"\\\\\", {"}) {
    const auto document = parse_document(before + nested(4001) + " = 1}]\n");
    ASSERT_FALSE(document);
    EXPECT_NE(document.error().message.find("more than 4000 dots"), std::string::npos) << before;
  }
}

}  // namespace
}  // namespace sluice::config
