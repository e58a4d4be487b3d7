// As request_parser.cc: the scans find where a response ends, Boost.Beast then reads it at once, and both
// must agree.
#include "wire/http1/response_parser.h"

#include <boost/beast/core/error.hpp>
#include <boost/beast/core/string_type.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "wire/http1/bounds.h"
#include "wire/http1/chunk_scan.h"
#include "wire/http1/fault.h"
#include "wire/http1/framing.h"
#include "wire/http1/message_decoder.h"
#include "wire/http1/request_parser.h"
#include "wire/http1/response_head_scan.h"

namespace sluice::wire::http1 {
namespace {

using Kind = ResponseFraming::Kind;

class Decoder final : public MessageDecoder<false, ReceivedResponse> {
 public:
  using MessageDecoder::MessageDecoder;

 private:
  void on_response_impl(int status, boost::beast::string_view /*reason*/, int /*version*/,
                        boost::beast::error_code& /*error*/) override {
    message().status = status;
  }
};

}  // namespace

struct ResponseParser::State {
  explicit State(const HttpBounds& given) : bounds(tamed(given)) {}

  ResponseStatus parse(std::string_view buffer, ReceivedResponse& response);
  ResponseStatus end(std::string_view buffer, ReceivedResponse& response);
  Scanned find_end(std::string_view buffer, std::size_t& end);
  Scanned find_end_of_body(std::string_view buffer, std::size_t& end);
  ResponseStatus decode(std::string_view buffer, std::size_t end, ReceivedResponse& response);
  ResponseStatus fail(Fault what);
  void forget_message();

  const HttpBounds bounds;
  std::size_t seen = 0;  // bytes of the message under way
  ResponseHeadScan head{bounds};
  bool head_done = false;
  ChunkScan chunk_scan{bounds};
  std::string chunks;  // bound: max_body_bytes
  std::size_t consumed = 0;
  Fault fault;
};

ResponseStatus ResponseParser::State::parse(std::string_view buffer, ReceivedResponse& response) {
  SLUICE_ASSERT(fault.message.empty());
  SLUICE_ASSERT(buffer.size() >= seen);
  seen = buffer.size();
  std::size_t end = 0;
  auto progress = find_end(buffer, end);
  if (!progress) return fail(std::move(progress.error()));
  if (*progress == Progress::more) return ResponseStatus::incomplete;
  return decode(buffer, end, response);
}

ResponseStatus ResponseParser::State::end(std::string_view buffer, ReceivedResponse& response) {
  const ResponseStatus status = parse(buffer, response);
  if (status != ResponseStatus::incomplete) return status;
  if (buffer.empty()) return fail({.status = 400, .message = "closed without an answer"});
  if (!head_done) return fail({.status = 400, .message = "closed within the head of the answer"});
  if (head.framing().kind == Kind::until_close) return decode(buffer, buffer.size(), response);
  return fail({.status = 400, .message = "closed within the body of the answer"});
}

/// `end` is set when all that is before it has arrived.
Scanned ResponseParser::State::find_end(std::string_view buffer, std::size_t& end) {
  if (!head_done) {
    Scanned progress = head.scan(buffer);
    if (!progress || *progress == Progress::more) return progress;
    head_done = true;
    chunk_scan.begin(head.end());
  }
  return find_end_of_body(buffer, end);
}

Scanned ResponseParser::State::find_end_of_body(std::string_view buffer, std::size_t& end) {
  switch (head.framing().kind) {
    case Kind::chunked: {
      Scanned progress = chunk_scan.scan(buffer);
      end = chunk_scan.end();
      return progress;
    }
    case Kind::until_close:
      if (buffer.size() - head.end() > bounds.max_body_bytes) return refuse_body(bounds.max_body_bytes);
      return Progress::more;
    case Kind::none:
    case Kind::length:
      break;
  }
  if (head.framing().length > bounds.max_body_bytes) return refuse_body(bounds.max_body_bytes);
  end = head.end() + static_cast<std::size_t>(head.framing().length);
  return buffer.size() < end ? Progress::more : Progress::done;
}

ResponseStatus ResponseParser::State::decode(std::string_view buffer, std::size_t end,
                                             ReceivedResponse& response) {
  const std::string_view message = buffer.substr(head.start(), end - head.start());
  response = {};
  chunks.clear();
  Decoder decoder(response, chunks);
  const auto ends = head.framing().kind == Kind::until_close ? BodyEnd::with_connection : BodyEnd::told;
  if (auto unlike = decoder.read(message, ends, "answer")) return fail(*std::move(unlike));
  consumed = end;
  forget_message();
  return ResponseStatus::complete;
}

ResponseStatus ResponseParser::State::fail(Fault what) {
  fault = std::move(what);
  return ResponseStatus::malformed;
}

void ResponseParser::State::forget_message() {
  seen = 0;
  head = ResponseHeadScan(bounds);
  head_done = false;
  chunk_scan = ChunkScan(bounds);
}

ResponseParser::ResponseParser(const HttpBounds& bounds) : state_(std::make_unique<State>(bounds)) {}

ResponseParser::~ResponseParser() = default;

ResponseStatus ResponseParser::parse(std::string_view buffer, ReceivedResponse& response) {
  return state_->parse(buffer, response);
}

ResponseStatus ResponseParser::end(std::string_view buffer, ReceivedResponse& response) {
  return state_->end(buffer, response);
}

std::size_t ResponseParser::consumed() const {
  return state_->consumed;
}

int ResponseParser::status() const {
  return state_->head_done ? state_->head.status() : 0;
}

std::string_view ResponseParser::message() const {
  return state_->fault.message;
}

}  // namespace sluice::wire::http1
