#include "store/redis/errors.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace sluice::store::redis {
namespace {

constexpr std::array<std::string_view, kErrorKinds> kNames = {
    "noscript", "readonly", "loading",    "masterdown", "noreplicas",  "busy", "oom",
    "misconf",  "auth",     "wrong_type", "cluster",    "max_clients", "other"};

struct Mark {
  std::string_view text;
  ErrorKind kind;
};

constexpr std::array<Mark, 20> kCodes = {{
    {"NOSCRIPT", ErrorKind::noscript},     {"READONLY", ErrorKind::readonly},
    {"LOADING", ErrorKind::loading},       {"MASTERDOWN", ErrorKind::masterdown},
    {"NOREPLICAS", ErrorKind::noreplicas}, {"BUSY", ErrorKind::busy},
    {"UNKILLABLE", ErrorKind::busy},       {"OOM", ErrorKind::oom},
    {"MISCONF", ErrorKind::misconf},       {"NOAUTH", ErrorKind::auth},
    {"WRONGPASS", ErrorKind::auth},        {"NOPERM", ErrorKind::auth},
    {"WRONGTYPE", ErrorKind::wrong_type},  {"SLUICEFOREIGN", ErrorKind::wrong_type},
    {"MOVED", ErrorKind::cluster},         {"ASK", ErrorKind::cluster},
    {"CLUSTERDOWN", ErrorKind::cluster},   {"CROSSSLOT", ErrorKind::cluster},
    {"TRYAGAIN", ErrorKind::cluster},      {"DENIED", ErrorKind::auth},
}};

/// Errors that have no code of their own.
constexpr std::array<Mark, 3> kPhrases = {{
    {"The user executing the script can't run", ErrorKind::auth},
    {"No matching script", ErrorKind::noscript},
    {"max number of clients", ErrorKind::max_clients},
}};

bool is_word_char(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

bool contains_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_word_char(text[at - 1]);
    if (begins && (end == text.size() || !is_word_char(text[end]))) return true;
  }
  return false;
}

}  // namespace

ErrorKind classify(std::string_view error) {
  const std::string_view first = error.substr(0, error.find(' '));
  for (const auto& [code, kind] : kCodes) {
    if (first == code) return kind;
  }
  for (const auto& [phrase, kind] : kPhrases) {
    if (error.contains(phrase)) return kind;
  }
  for (const auto& [code, kind] : kCodes) {
    if (contains_word(error, code)) return kind;
  }
  return ErrorKind::other;
}

std::string_view name_of(ErrorKind kind) {
  return kNames[std::to_underlying(kind)];
}

std::string for_people(std::string_view error) {
  constexpr std::size_t kLongest = 200;
  const std::string_view told = error.substr(0, error.find(", with args beginning with"));
  return told.empty() ? "an error without a word" : printable(told, kLongest);
}

}  // namespace sluice::store::redis
