#include "api/wire_form.hpp"

#include <boost/beast/http/error.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace nightjar::api {
namespace {

// RFC 9110, 5.6.2: what a name is made of.
bool is_token_byte(char c) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         marks.find(c) != std::string_view::npos;
}

bool is_value_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= 0x20 && byte != 0x7f) || byte == '\t';
}

void insert(WireResponse& message, const std::string& name, const std::string& value) {
  if (name.empty() || !std::all_of(name.begin(), name.end(), is_token_byte))
    throw std::invalid_argument("a response has a header whose name is no name");
  if (!std::all_of(value.begin(), value.end(), is_value_byte))
    throw std::invalid_argument(fmt::format("the response's header {} holds a control byte", name));
  message.insert(name, value);
}

bool has_body(int status) {
  return status != 204 && status != 304;
}

}  // namespace

std::optional<Response> refusal(const http::request_header<>& header) {
  if (header.method() != http::verb::get && header.method() != http::verb::head) {
    Response response = plain(405, "method not allowed");
    response.headers.emplace("Allow", "GET, HEAD");
    return response;
  }
  // RFC 9112, 3.2: exactly one Host in HTTP/1.1. Targets in absolute form are for proxies, which this is not.
  if (header.version() >= 11 && header.count(http::field::host) != 1) return plain(400, "bad request");
  if (!header.target().starts_with('/')) return plain(400, "bad request");
  return std::nullopt;
}

std::optional<Response> refusal(const boost::system::error_code& error) {
  if (error == http::error::end_of_stream || error == http::error::partial_message) return std::nullopt;
  if (error == http::error::header_limit || error == http::error::buffer_overflow)
    return plain(431, "request header fields too large");
  if (error == http::error::body_limit) return plain(413, "content too large");
  static const auto& malformed = http::make_error_code(http::error::bad_method).category();
  if (error.category() == malformed) return plain(400, "bad request");
  return std::nullopt;
}

Request to_request(WireRequest message) {
  Request request;
  request.method = message.method_string();
  const std::string_view target(message.target().data(), message.target().size());
  const auto mark = target.find('?');
  request.path = target.substr(0, mark);
  if (mark != std::string_view::npos) request.query = target.substr(mark + 1);
  for (const auto& field : message) request.headers.emplace(field.name_string(), field.value());
  request.body = std::move(message.body());
  return request;
}

WireResponse to_wire(Response response, Manner manner) {
  if (response.status < 200 || response.status > 599)
    throw std::invalid_argument(fmt::format("{} is no status of a response", response.status));
  WireResponse message;
  message.version(manner.version);
  message.result(static_cast<unsigned>(response.status));
  for (const auto& [name, value] : response.headers) insert(message, name, value);
  if (!response.content_type.empty()) insert(message, "Content-Type", response.content_type);
  if (message.count(http::field::cache_control) == 0) message.set(http::field::cache_control, "no-store");
  message.set("X-Content-Type-Options", "nosniff");
  message.keep_alive(manner.keep_alive);
  message.body() = std::move(response.body);
  if (has_body(response.status))
    message.content_length(message.body().size());
  else
    message.body().clear();
  return message;
}

}  // namespace nightjar::api
