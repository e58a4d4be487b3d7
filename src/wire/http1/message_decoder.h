// Boost.Beast's reading of one whole message, after the scans have found where it ends. Only this file knows
// Beast.
#pragma once

#include <fmt/format.h>

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/string_type.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/verb.hpp>
#include <boost/none.hpp>
#include <boost/optional/optional.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "wire/http1/fault.h"

namespace sluice::wire::http1 {

enum class BodyEnd : std::uint8_t { told, with_connection };

/// Takes over what Beast reads into `Message`, which has headers and a body. Views are of the bytes given to
/// read(). Who derives from it takes over the first line.
template <bool kIsRequest, class Message>
class MessageDecoder : public boost::beast::http::basic_parser<kIsRequest> {
 public:
  /// Decoded chunks are appended to `chunks`, a view of which becomes the body.
  MessageDecoder(Message& message, std::string& chunks) : message_(message), chunks_(chunks) {
    this->eager(true);
    this->header_limit(std::numeric_limits<std::uint32_t>::max());  // the scans have seen to bounds
    this->body_limit(boost::none);
  }

  /// Nothing: Beast reads `bytes` as the scans did. `what` is for the fault: "request".
  [[nodiscard]] std::optional<Fault> read(std::string_view bytes, BodyEnd end, std::string_view what) {
    namespace http = boost::beast::http;
    boost::beast::error_code error;
    const std::size_t used = this->put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
    const bool until_close = end == BodyEnd::with_connection;
    if (until_close && (!error || error == http::error::need_more)) this->put_eof(error);
    if (error && error != http::error::need_more) {
      return Fault{.status = 400, .message = fmt::format("not HTTP/1.1: {}", error.message())};
    }
    if (!this->is_done() || used != bytes.size() || this->need_eof() != until_close) {
      return Fault{.status = 400, .message = fmt::format("it is unclear where the {} ends", what)};
    }
    return std::nullopt;
  }

 protected:
  [[nodiscard]] Message& message() { return message_; }

 private:
  using Text = boost::beast::string_view;
  using Error = boost::beast::error_code;

  void on_request_impl(boost::beast::http::verb /*known*/, Text /*method*/, Text /*target*/, int /*version*/,
                       Error& /*error*/) override {}
  void on_response_impl(int /*status*/, Text /*reason*/, int /*version*/, Error& /*error*/) override {}
  void on_field_impl(boost::beast::http::field /*known*/, Text name, Text value, Error& /*error*/) override {
    if (!in_trailers_) message_.headers.push_back({.name = name, .value = value});
  }
  void on_header_impl(Error& /*error*/) override { in_trailers_ = true; }
  void on_body_init_impl(const boost::optional<std::uint64_t>& /*length*/, Error& /*error*/) override {}
  std::size_t on_body_impl(Text body, Error& /*error*/) override {
    message_.body = body;
    return body.size();
  }
  void on_chunk_header_impl(std::uint64_t /*size*/, Text /*extensions*/, Error& /*error*/) override {}
  std::size_t on_chunk_body_impl(std::uint64_t /*remaining*/, Text data, Error& /*error*/) override {
    chunks_.append(data);
    return data.size();
  }
  void on_finish_impl(Error& /*error*/) override {
    if (this->chunked()) message_.body = chunks_;
  }

  Message& message_;
  std::string& chunks_;
  bool in_trailers_ = false;
};

}  // namespace sluice::wire::http1
