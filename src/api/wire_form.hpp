// Between our values and Beast's messages.
#pragma once
#include <nightjar/api/message.hpp>

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include <optional>

namespace nightjar::api {

namespace http = boost::beast::http;

using WireRequest = http::request<http::string_body>;
using WireResponse = http::response<http::string_body>;

// How an answer is to be sent.
struct Manner {
  unsigned version = 11;
  bool keep_alive = false;
  bool head = false;  // without the body, with its length
};

// The answer to a request that the handler is not asked about, judged by its header.
std::optional<Response> refusal(const http::request_header<>& header);

// The answer to bytes that are no request, or more of one than is allowed; empty where nobody waits for one
// (the client closed, or the network did).
std::optional<Response> refusal(const boost::system::error_code& error);

Request to_request(WireRequest message);

// std::invalid_argument when the response is none: a header that holds a control byte or a name that is no
// name, a status out of range.
WireResponse to_wire(Response response, Manner manner);

}  // namespace nightjar::api
