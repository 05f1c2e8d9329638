#include <nightjar/api/message.hpp>

#include <algorithm>

namespace nightjar::api {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

bool IgnoringCase::operator()(std::string_view left, std::string_view right) const {
  return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end(),
                                      [](char a, char b) { return lower(a) < lower(b); });
}

Response plain(int status, std::string_view line) {
  Response response;
  response.status = status;
  response.body = line;
  response.body += '\n';
  return response;
}

}  // namespace nightjar::api
