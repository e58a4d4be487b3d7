#include "server/admin/admin_api.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "server/admin/accept.h"
#include "server/admin/admin_source.h"
#include "server/admin/page.h"
#include "server/http_answers.h"
#include "wire/http1/request_parser.h"
#include "wire/http1/response_writer.h"

namespace sluice::server {
namespace {

using wire::http1::Request;
using wire::http1::Response;

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kEvents = "text/event-stream";

enum class Endpoint : std::uint8_t { page, metrics, healthz, readyz, stats, top, stream };

struct Route {
  std::string_view path;
  Endpoint endpoint;
  std::string_view type;  ///< what Accept must allow; empty: the endpoint answers whatever it says
};

constexpr std::array<Route, 7> kRoutes{
    {{.path = "/", .endpoint = Endpoint::page, .type = "text/html"},
     {.path = "/metrics", .endpoint = Endpoint::metrics, .type = ""},
     {.path = "/healthz", .endpoint = Endpoint::healthz, .type = ""},
     {.path = "/readyz", .endpoint = Endpoint::readyz, .type = ""},
     {.path = "/v1/stats", .endpoint = Endpoint::stats, .type = kJson},
     {.path = "/v1/top", .endpoint = Endpoint::top, .type = kJson},
     {.path = "/v1/stream", .endpoint = Endpoint::stream, .type = kEvents}}};

/// Numbers age at once, and nothing here is anything but what it says it is.
void add_common_headers(Response& response) {
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  const bool has =
      std::ranges::any_of(response.headers, [](const auto& h) { return h.first == "Cache-Control"; });
  if (!has) response.headers.emplace_back("Cache-Control", "no-store");
}

Response respond(int status, std::string_view type, std::string body) {
  Response response{
      .status = status, .headers = {{"Content-Type", std::string(type)}}, .body = std::move(body)};
  add_common_headers(response);
  return response;
}

Response not_found(std::string_view path) {
  std::array<std::string_view, kRoutes.size()> paths;
  std::ranges::transform(kRoutes, paths.begin(), &Route::path);
  return admin_problem(404, "there is nothing at " + printable(path) + did_you_mean(path, paths));
}

Response not_acceptable(std::string_view types) {
  return admin_problem(406, "this is only there as " + std::string(types));
}

std::string accept_of(const Request& request) {
  std::string joined;
  for (const std::string_view value : request.all("accept"))
    joined.append(joined.empty() ? "" : ",").append(value);
  return joined;
}

Response page() {
  Response response = respond(200, "text/html; charset=utf-8", std::string(page_document()));
  response.headers.emplace_back("Content-Security-Policy", page_policy());
  response.headers.emplace_back("Referrer-Policy", "no-referrer");
  return response;
}

Response metrics(AdminSource& source, std::string_view accept) {
  const auto format = metrics_format(accept);
  if (!format)
    return not_acceptable("text/plain;version=0.0.4 and application/openmetrics-text;version=1.0.0");
  std::string body;
  source.append_metrics(body, *format);
  return respond(200,
                 *format == MetricsFormat::openmetrics
                     ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                     : "text/plain; version=0.0.4; charset=utf-8",
                 std::move(body));
}

Response health(bool well, const std::string& reason) {
  constexpr std::string_view kPlain = "text/plain; charset=utf-8";
  return well ? respond(200, kPlain, "ok\n") : respond(503, kPlain, reason + "\n");
}

Result<TopQuery> top_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> parameters;
  if (!wire::http1::parse_query(query, parameters)) return failure("the query has a malformed %-escape");
  TopQuery top;
  for (auto& [name, value] : parameters) {
    if (name == "rule") {
      top.rule = std::move(value);
    } else if (name == "by" && (value == "busiest" || value == "denied")) {
      top.by = value == "denied" ? TopBy::denied : TopBy::busiest;
    } else if (name == "by") {
      return failure("by is \"busiest\" or \"denied\", not \"" + printable(value) + "\"");
    } else if (name == "limit") {
      constexpr std::int64_t kMaxLimit = 100;
      const auto limit = parse_int(value);
      if (!limit || *limit < 1 || *limit > kMaxLimit) return failure("limit is a whole number from 1 to 100");
      top.limit = static_cast<std::size_t>(*limit);
    } else {
      constexpr std::array<std::string_view, 3> kNames{"by", "rule", "limit"};
      return failure("there is no parameter " + printable(name) + did_you_mean(name, kNames));
    }
  }
  return top;
}

Response top(AdminSource& source, std::string_view query) {
  const auto asked = top_query(query);
  if (!asked) return admin_problem(400, asked.error().message);
  auto keys = source.top(*asked);
  if (!keys) return admin_problem(404, keys.error().message);
  return respond(200, kJson, *std::move(keys));
}

Response answer(const Route& route, AdminSource& source, std::string_view accept, std::string_view query) {
  switch (route.endpoint) {
    case Endpoint::page:
      return page();
    case Endpoint::metrics:
      return metrics(source, accept);
    case Endpoint::healthz: {
      const Health state = source.health();
      return health(state.healthy, state.reason);
    }
    case Endpoint::readyz: {
      const Health state = source.health();
      return health(state.healthy && state.ready, state.reason);
    }
    case Endpoint::stats:
      return respond(200, kJson, source.stats());
    case Endpoint::top:
      return top(source, query);
    case Endpoint::stream:
      break;
  }
  return respond(200, kEvents, "");
}

}  // namespace

Response admin_problem(int status, std::string detail) {
  Response response = problem(status, std::move(detail));
  add_common_headers(response);
  return response;
}

AdminAnswer AdminApi::handle(const Request& request) {
  const std::size_t question_mark = request.target.find('?');
  const std::string_view path = request.target.substr(0, question_mark);
  const std::string_view query =
      question_mark == std::string_view::npos ? "" : request.target.substr(question_mark + 1);
  const auto route = std::ranges::find(kRoutes, path, &Route::path);
  if (route == kRoutes.end()) return {.response = not_found(path)};
  if (request.method != "GET" && request.method != "HEAD") {
    Response response = admin_problem(405, "use GET here");
    response.headers.emplace_back("Allow", "GET, HEAD");
    return {.response = std::move(response)};
  }
  const std::string accept = accept_of(request);
  if (!route->type.empty() && quality_of(accept, {.type = route->type}) == 0) {
    return {.response = not_acceptable(route->type)};
  }
  const bool stream = route->endpoint == Endpoint::stream && request.method == "GET";
  return {.response = answer(*route, source_, accept, query),
          .body = stream ? AdminBody::stream : AdminBody::whole};
}

}  // namespace sluice::server
