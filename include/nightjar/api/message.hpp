// A request and a response of HTTP as values, apart from how they travel. Text is what was sent: nothing here
// decodes, unpacks or negotiates.
#pragma once
#include <map>
#include <string>
#include <string_view>

namespace nightjar::api {

// Names of headers: ASCII without regard to case.
struct IgnoringCase {
  using is_transparent = void;
  bool operator()(std::string_view left, std::string_view right) const;
};
using Headers = std::multimap<std::string, std::string, IgnoringCase>;

struct Request {
  std::string method;  // GET or HEAD; others are refused before they get here
  std::string path;    // begins with '/', not decoded
  std::string query;   // what follows the first '?', not decoded; empty without one
  Headers headers;
  std::string body;
};

struct Response {
  int status = 200;                                        // 200 to 599
  std::string content_type = "text/plain; charset=utf-8";  // empty: no such header
  std::string body;                                        // left out when the answer is to HEAD
  Headers
      headers{};  // beside the server's own: Content-Type, Content-Length, Connection, X-Content-Type-Options
};

// A line of text: "not found\n" with 404.
Response plain(int status, std::string_view line);

}  // namespace nightjar::api
