#include "server/http_api.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/text.h"
#include "engine/engine.h"
#include "server/http_answers.h"
#include "server/http_identity.h"
#include "server/http_question.h"
#include "server/protocol.h"
#include "wire/http1/request_parser.h"
#include "wire/http1/response_writer.h"

namespace sluice::server {
namespace {

using engine::Operation;
using wire::http1::Response;
using wire::http1::ResponseForm;

enum class Endpoint : std::uint8_t { check, peek, refund, reset, authorize };

struct Route {
  std::string_view path;
  Endpoint endpoint;
};

constexpr std::array<Route, 5> kRoutes{{{"/v1/check", Endpoint::check},
                                        {"/v1/peek", Endpoint::peek},
                                        {"/v1/refund", Endpoint::refund},
                                        {"/v1/reset", Endpoint::reset},
                                        {kAuthorizePath, Endpoint::authorize}}};

std::optional<Endpoint> endpoint_of(std::string_view path) {
  for (const Route& route : kRoutes) {
    if (path == route.path) return route.endpoint;
    if (route.endpoint == Endpoint::authorize && path.starts_with(kAuthorizePath) &&
        (path[kAuthorizePath.size()] == '/' || path.substr(kAuthorizePath.size()) == "*")) {
      return route.endpoint;
    }
  }
  return std::nullopt;
}

Operation operation_of(Endpoint endpoint) {
  switch (endpoint) {
    case Endpoint::peek:
      return Operation::peek;
    case Endpoint::refund:
      return Operation::refund;
    case Endpoint::reset:
      return Operation::reset;
    case Endpoint::check:
    case Endpoint::authorize:
      break;
  }
  return Operation::check;
}

Response not_found(std::string_view path) {
  std::array<std::string_view, kRoutes.size()> paths;
  std::ranges::transform(kRoutes, paths.begin(), &Route::path);
  return problem(404, "there is nothing at " + printable(path) + did_you_mean(path, paths));
}

Step answer(const Response& response, ResponseForm form, Turn& turn) {
  wire::http1::append_response(turn.out, response, form);
  return Step::answered;
}

std::vector<engine::Descriptor> views(const std::vector<std::pair<std::string, std::string>>& descriptors) {
  std::vector<engine::Descriptor> out;
  out.reserve(descriptors.size());
  for (const auto& [name, value] : descriptors) out.push_back({.name = name, .value = value});
  return out;
}

/// The checks of one batch, asked one by one and answered together. Each stands for itself.
class Batch final : public Gathering, public engine::AnswerSink {
 public:
  Batch(engine::Engine& engine, std::size_t count) : engine_(engine), results_(count), open_(count) {}
  ~Batch() override { engine_.forget(*this); }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  /// Whether all are answered already.
  bool ask(Operation operation, const std::vector<Question>& questions) {
    for (std::size_t i = 0; i < questions.size(); ++i) {
      const auto* result =
          engine_.run(operation, views(questions[i].descriptors), questions[i].cost, *this, i);
      if (result != nullptr) store(i, *result);
    }
    return open_ == 0;
  }

  [[nodiscard]] std::string body() const {
    std::string out = R"({"results":[)";
    for (std::size_t i = 0; i < results_.size(); ++i) out.append(i == 0 ? "" : ",").append(results_[i]);
    return out + "]}";
  }

  /// `done` gets the body once the last answer is there; this object may be destroyed in it.
  void when_complete(std::function<void(std::string body)> done) { done_ = std::move(done); }

 private:
  void on_answer(std::uint64_t tag, const engine::CheckResult& result) override {
    store(tag, result);
    if (open_ > 0) return;
    const auto done = std::move(done_);
    done(body());
  }
  void store(std::size_t index, const engine::CheckResult& result) {
    results_[index] = decision_json(result);
    --open_;
  }

  engine::Engine& engine_;
  std::vector<std::string> results_;
  std::size_t open_;
  std::function<void(std::string body)> done_;
};

Response batch_response(std::string body) {
  Response response;
  response.headers.emplace_back("Content-Type", "application/json");
  response.headers.emplace_back("Cache-Control", "no-store");
  response.body = std::move(body);
  return response;
}

}  // namespace

/// One request, taken apart.
struct HttpApi::Call {
  const wire::http1::Request& request;
  std::string_view query;
  ResponseForm form;
};

HttpApi::HttpApi(engine::Engine& engine, const Clock& clock, std::shared_ptr<const HttpRules> rules)
    : engine_(engine), clock_(clock), rules_(std::move(rules)) {}

void HttpApi::set_rules(std::shared_ptr<const HttpRules> rules) {
  rules_ = std::move(rules);
}

Step HttpApi::handle(const wire::http1::Request& request, Turn& turn) {
  const std::size_t question_mark = request.target.find('?');
  const std::string_view path = request.target.substr(0, question_mark);
  const Call call{
      .request = request,
      .query = question_mark == std::string_view::npos ? "" : request.target.substr(question_mark + 1),
      .form = {.head = request.method == "HEAD",
               .keep_alive = request.keep_alive,
               .minor_version = request.minor_version}};
  const auto endpoint = endpoint_of(path);
  if (!endpoint) return answer(not_found(path), call.form, turn);
  // A gateway asks with the method of the request that it has before it.
  if (*endpoint == Endpoint::authorize) return authorize(call, turn);
  if (request.method != "GET" && request.method != "HEAD" && request.method != "POST") {
    Response response = problem(405, "use GET or POST here");
    response.headers.emplace_back("Allow", "GET, HEAD, POST");
    return answer(response, call.form, turn);
  }
  return operate(call, operation_of(*endpoint), turn);
}

Step HttpApi::operate(const Call& call, Operation operation, Turn& turn) {
  Body body;
  if (call.request.method == "POST" && !call.request.body.empty()) {
    if (!call.query.empty())
      return answer(problem(400, "ask in the query or in the body, not in both"), call.form, turn);
    auto parsed = questions_of_body(call.request.body);
    if (!parsed) return answer(problem(400, parsed.error()), call.form, turn);
    body = *std::move(parsed);
  } else {
    auto question = question_of_query(call.query);
    if (!question) return answer(problem(400, question.error()), call.form, turn);
    body.questions.push_back(*std::move(question));
  }
  if (body.batch) return batch(call, operation, body.questions, turn);

  const auto write = [rules = rules_, operation, form = call.form, &clock = clock_](
                         const engine::CheckResult& result, std::string& out) {
    const Response response = operation == Operation::reset
                                  ? reset_response(result)
                                  : decision_response(result, rules->options(), clock.wall_now());
    wire::http1::append_response(out, response, form);
  };
  const Question& question = body.questions.front();
  const auto* result =
      engine_.run(operation, views(question.descriptors), question.cost, turn.sink, turn.tag);
  if (result == nullptr) {
    turn.write_later = write;
    return Step::waiting;
  }
  write(*result, turn.out);
  return Step::answered;
}

Step HttpApi::batch(const Call& call, Operation operation, const std::vector<Question>& questions,
                    Turn& turn) {
  if (operation != Operation::check && operation != Operation::peek) {
    return answer(problem(400, "only /v1/check and /v1/peek take a batch"), call.form, turn);
  }
  auto batch = std::make_unique<Batch>(engine_, questions.size());
  if (batch->ask(operation, questions)) return answer(batch_response(batch->body()), call.form, turn);
  batch->when_complete([form = call.form, complete = turn.complete](std::string body) {
    std::string bytes;
    wire::http1::append_response(bytes, batch_response(std::move(body)), form);
    complete(std::move(bytes));
  });
  turn.gathering = std::move(batch);
  return Step::waiting;
}

Step HttpApi::authorize(const Call& call, Turn& turn) {
  const auto descriptors = rules_->describe(call.request);
  const auto write = [rules = rules_, status = rules_->deny_status(call.request), form = call.form,
                      &clock = clock_](const engine::CheckResult& result, std::string& out) {
    wire::http1::append_response(out, authorize_response(result, rules->options(), status, clock.wall_now()),
                                 form);
  };
  const auto* result = engine_.run(Operation::check, views(descriptors), 1, turn.sink, turn.tag);
  if (result == nullptr) {
    turn.write_later = write;
    return Step::waiting;
  }
  write(*result, turn.out);
  return Step::answered;
}

}  // namespace sluice::server
