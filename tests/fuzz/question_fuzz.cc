// Fuzzes what HTTP requests ask: queries and JSON bodies. Promises: a question is within the bounds of the
// engine and names each descriptor once; a fault is a line for the client; a question that is written as a
// query reads the same.
#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "engine/engine.h"
#include "fuzz/fuzz.h"
#include "server/http_question.h"

namespace sluice::fuzz {
namespace {

void check_fault(std::string_view fault) {
  SLUICE_ASSERT(!fault.empty());
  for (const char c : fault) SLUICE_ASSERT(static_cast<unsigned char>(c) >= ' ');
}

void check_question(const server::Question& question) {
  SLUICE_ASSERT(engine::valid_cost(question.cost));
  SLUICE_ASSERT(!question.descriptors.empty() && question.descriptors.size() <= engine::kMaxDescriptors);
  std::set<std::string> names;
  std::string query = "cost=" + std::to_string(question.cost);
  for (const auto& [name, value] : question.descriptors) {
    SLUICE_ASSERT(!name.empty() && names.insert(name).second);
    query += "&" + percent_encoded(name) + "=" + percent_encoded(value);
  }
  if (names.contains("cost")) return;  // JSON can say it, a query cannot
  const auto again = server::question_of_query(query);
  SLUICE_ASSERT(again && again->cost == question.cost && again->descriptors == question.descriptors);
}

}  // namespace

void run(std::string_view bytes) {
  if (const auto question = server::question_of_query(bytes)) {
    check_question(*question);
  } else {
    check_fault(question.error());
  }
  if (const auto body = server::questions_of_body(bytes)) {
    SLUICE_ASSERT(!body->questions.empty() && body->questions.size() <= server::kMaxBatch);
    SLUICE_ASSERT(body->batch || body->questions.size() == 1);
    for (const server::Question& question : body->questions) check_question(question);
  } else {
    check_fault(body.error());
  }
}

}  // namespace sluice::fuzz
