#include "server/http_answers.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "base/time.h"
#include "engine/engine.h"
#include "server/http_headers.h"
#include "server/http_options.h"
#include "wire/http1/response_writer.h"

namespace sluice::server {
namespace {

namespace json = boost::json;
using wire::http1::Response;

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kProblemJson = "application/problem+json";
constexpr std::string_view kQuotaExceeded = "https://iana.org/assignments/http-problem-types#quota-exceeded";

json::object decision_object(const engine::Decision& decision) {
  return {{"allowed", decision.allowed},
          {"limit", decision.limit},
          {"remaining", decision.remaining},
          {"retry_after_ms", ceil_milliseconds(decision.retry_after)},
          {"reset_after_ms", ceil_milliseconds(decision.reset_after)},
          {"rule", decision.rule},
          {"warning", decision.warning},
          {"degraded", decision.degraded}};
}

json::object result_object(const engine::CheckResult& result) {
  json::object object = decision_object(result.overall);
  json::array rules;
  for (const engine::RuleDecision& rule : result.rules) {
    json::object entry = decision_object(rule.decision);
    entry["shadow"] = rule.shadow;
    rules.push_back(std::move(entry));
  }
  object["rules"] = std::move(rules);
  return object;
}

/// Whether the rule that decided could not be counted, and denied by its failure policy.
bool decided_blindly(const engine::CheckResult& result) {
  return std::ranges::any_of(result.rules, [&](const engine::RuleDecision& rule) {
    return rule.decision.degraded && !rule.shadow && rule.decision.rule == result.overall.rule;
  });
}

std::string denial_detail(const engine::CheckResult& result) {
  const engine::Decision& decision = result.overall;
  const std::string rule = "rule \"" + std::string(decision.rule) + "\"";
  const std::string retry = "retry in " + std::to_string(ceil_seconds(decision.retry_after)) + " s.";
  if (decided_blindly(result)) return "The counter of " + rule + " is out of reach; " + retry;
  if (decision.limit == 0) return "All requests are denied by " + rule + ".";
  if (decision.retry_after < Duration::zero()) {
    return "This request costs more than the limit of " + rule + " can ever give; it can never pass.";
  }
  return "The limit of " + rule + " is used up; " + retry;
}

/// What RFC 9457 and the RateLimit draft want to be in a denial.
void describe_denial(json::object& object, const engine::CheckResult& result, int status) {
  json::array violated;
  for (const engine::RuleDecision& rule : result.rules) {
    if (!rule.shadow && !rule.decision.allowed) violated.push_back(json::string_view(rule.decision.rule));
  }
  object["type"] = kQuotaExceeded;
  object["title"] = "Too Many Requests";
  object["status"] = status;
  object["detail"] = denial_detail(result);
  object["violated-policies"] = std::move(violated);
}

/// A decision's response with its headers; an allowed one of a gateway has no body.
Response respond(const engine::CheckResult& result, const HttpOptions& options, int status, bool with_body,
                 WallTime now) {
  Response response;
  response.status = status;
  const bool denied = !result.overall.allowed;
  if (with_body) {
    json::object object = result_object(result);
    if (denied && options.problem_json) describe_denial(object, result, status);
    response.headers.emplace_back("Content-Type", denied && options.problem_json ? kProblemJson : kJson);
    response.body = json::serialize(object);
  }
  // A denial that a cache kept would outlive the limit (RFC 6585).
  response.headers.emplace_back("Cache-Control", "no-store");
  append_rate_limit_headers(result, options, now, response.headers);
  return response;
}

}  // namespace

Response problem(int status, std::string detail) {
  Response response;
  response.status = status;
  response.headers.emplace_back("Content-Type", kProblemJson);
  response.headers.emplace_back("Cache-Control", "no-store");
  response.body = json::serialize(json::object{{"type", "about:blank"},
                                               {"title", wire::http1::reason_phrase(status)},
                                               {"status", status},
                                               {"detail", std::move(detail)}});
  return response;
}

Response decision_response(const engine::CheckResult& result, const HttpOptions& options, WallTime now) {
  constexpr int kOk = 200;
  constexpr int kTooManyRequests = 429;
  return respond(result, options, result.overall.allowed ? kOk : kTooManyRequests, true, now);
}

Response authorize_response(const engine::CheckResult& result, const HttpOptions& options, int deny_status,
                            WallTime now) {
  // Gateways take exactly 200 for yes (Envoy takes a 204 for no).
  constexpr int kOk = 200;
  const bool allowed = result.overall.allowed;
  return respond(result, options, allowed ? kOk : deny_status, !allowed, now);
}

Response reset_response(const engine::CheckResult& result) {
  Response response;
  response.headers.emplace_back("Content-Type", kJson);
  response.headers.emplace_back("Cache-Control", "no-store");
  response.body = json::serialize(json::object{{"reset", engine::counters_of(result)}});
  return response;
}

std::string decision_json(const engine::CheckResult& result) {
  return json::serialize(result_object(result));
}

}  // namespace sluice::server
