#include "server/http_question.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "engine/engine.h"
#include "wire/http1/response_writer.h"

namespace sluice::server {
namespace {

namespace json = boost::json;
using Fault = std::unexpected<std::string>;

Fault bad_cost() {
  return Fault("\"cost\" must be a whole number from 0 to " + std::to_string(engine::kMaxCost));
}

/// Adds one descriptor; a fault is for the client.
std::optional<std::string> add(Question& question, std::string name, std::string value) {
  if (name.empty()) return "a descriptor has no name";
  for (const auto& [known, _] : question.descriptors) {
    if (known == name) return "descriptor \"" + printable(name) + "\" is given twice";
  }
  if (question.descriptors.size() == engine::kMaxDescriptors) {
    return "more than " + std::to_string(engine::kMaxDescriptors) + " descriptors";
  }
  question.descriptors.emplace_back(std::move(name), std::move(value));
  return std::nullopt;
}

std::optional<std::int64_t> cost_of(const json::value& value) {
  if (!value.is_int64() || !engine::valid_cost(value.get_int64())) return std::nullopt;
  return value.get_int64();
}

std::expected<Question, std::string> question_of_object(const json::object& object) {
  Question question;
  for (const auto& entry : object) {
    if (entry.key() == "cost") {
      const auto cost = cost_of(entry.value());
      if (!cost) return bad_cost();
      question.cost = *cost;
    } else if (entry.key() == "descriptors" && entry.value().is_object()) {
      for (const auto& descriptor : entry.value().get_object()) {
        std::string value;
        if (descriptor.value().is_string()) {
          value = descriptor.value().get_string();
        } else if (descriptor.value().is_int64()) {
          value = std::to_string(descriptor.value().get_int64());
        } else {
          return Fault("descriptor \"" + printable(descriptor.key()) + "\" must be a string or an integer");
        }
        if (auto fault = add(question, std::string(descriptor.key()), std::move(value))) return Fault(*fault);
      }
    } else if (entry.key() == "descriptors") {
      return Fault("\"descriptors\" must be an object: {\"user\": \"123\"}");
    } else {
      return Fault("unknown member \"" + printable(entry.key()) + "\"; known: \"descriptors\", \"cost\"");
    }
  }
  if (question.descriptors.empty())
    return Fault("at least one descriptor is needed: {\"descriptors\": {\"user\": \"123\"}}");
  return question;
}

std::expected<Body, std::string> batch_of(const json::value& checks) {
  if (!checks.is_array() || checks.get_array().empty() || checks.get_array().size() > kMaxBatch) {
    return Fault("\"checks\" must be an array of 1 to " + std::to_string(kMaxBatch) + " checks");
  }
  Body body{.questions = {}, .batch = true};
  for (const json::value& check : checks.get_array()) {
    const std::string place = "checks[" + std::to_string(body.questions.size()) + "]: ";
    if (!check.is_object()) return Fault(place + "must be an object");
    auto question = question_of_object(check.get_object());
    if (!question) return Fault(place + question.error());
    body.questions.push_back(*std::move(question));
  }
  return body;
}

}  // namespace

std::expected<Question, std::string> question_of_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> pairs;
  if (!wire::http1::parse_query(query, pairs)) return Fault("the query has a malformed percent escape");
  Question question;
  bool has_cost = false;
  for (auto& [name, value] : pairs) {
    if (name == "cost") {
      const auto cost = parse_int(value);
      if (has_cost || !cost || !engine::valid_cost(*cost)) return bad_cost();
      question.cost = *cost;
      has_cost = true;
    } else if (auto fault = add(question, std::move(name), std::move(value))) {
      return Fault(*fault);
    }
  }
  if (question.descriptors.empty()) return Fault("at least one descriptor is needed: ?user=123");
  return question;
}

std::expected<Body, std::string> questions_of_body(std::string_view text) {
  constexpr std::size_t kMaxDepth = 8;
  json::parse_options options;
  options.max_depth = kMaxDepth;
  json::error_code error;
  const json::value value = json::parse(text, error, {}, options);
  if (error) return Fault("the body is not JSON: " + error.message());
  if (!value.is_object())
    return Fault("the body must be a JSON object: {\"descriptors\": {\"user\": \"123\"}}");
  const json::object& object = value.get_object();
  if (const json::value* checks = object.if_contains("checks"); checks != nullptr) {
    if (object.size() != 1) return Fault("\"checks\" stands alone in a batch");
    return batch_of(*checks);
  }
  auto question = question_of_object(object);
  if (!question) return Fault(question.error());
  Body body;
  body.questions.push_back(*std::move(question));
  return body;
}

}  // namespace sluice::server
