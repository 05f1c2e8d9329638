#include "delivery/peer.hpp"
#include "delivery/text.hpp"

#include <nightjar/delivery/address.hpp>

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>

namespace nightjar::delivery {
namespace {

constexpr std::size_t longest_local = 64;  // RFC 5321, 4.5.3.1.1
constexpr std::size_t longest_domain = 253;
constexpr std::size_t longest_address = 254;  // its path is 256 with < >
constexpr std::size_t longest_label = 63;
constexpr std::size_t longest_url = 2048;

Failure setup(std::string reason) {
  return failure(FailureClass::setup, Stage::none, std::move(reason));
}

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_atext(char c) {
  return is_letter_or_digit(c) || std::string_view("!#$%&'*+-/=?^_`{|}~").find(c) != std::string_view::npos;
}

bool is_printable_ascii(char c) {
  return c > 0x20 && c < 0x7F;
}

// What is wrong with the part before the @; empty: nothing.
std::string complaint_about_local(std::string_view local) {
  if (local.empty()) return "has nothing before the @";
  if (local.size() > longest_local)
    return fmt::format("has more than {} characters before the @", longest_local);
  if (local.front() == '.' || local.back() == '.' || local.find("..") != std::string_view::npos)
    return "has a misplaced dot before the @";
  const auto odd =
      std::find_if_not(local.begin(), local.end(), [](char c) { return is_atext(c) || c == '.'; });
  if (odd != local.end()) return fmt::format("has the character '{}', which is not allowed", *odd);
  return {};
}

std::string complaint_about_domain(std::string_view domain) {
  if (domain.empty()) return "has nothing after the @";
  if (domain.size() > longest_domain)
    return fmt::format("has more than {} characters after the @", longest_domain);
  for (std::size_t from = 0; from <= domain.size();) {
    const std::size_t dot = std::min(domain.find('.', from), domain.size());
    const std::string_view label = domain.substr(from, dot - from);
    if (label.empty()) return "has a misplaced dot after the @";
    if (label.size() > longest_label || label.front() == '-' || label.back() == '-' ||
        !std::all_of(label.begin(), label.end(), [](char c) { return is_letter_or_digit(c) || c == '-'; }))
      return fmt::format("has '{}' after the @, which is not part of a domain name", label);
    from = dot + 1;
  }
  return {};
}

std::string complaint_about_address(std::string_view address) {
  if (!std::all_of(address.begin(), address.end(), [](char c) { return is_printable_ascii(c) || c == ' '; }))
    return "has characters that are not ASCII, or control characters";
  const auto ats = std::count(address.begin(), address.end(), '@');
  if (ats == 0) return "has no @";
  if (ats > 1) return ats == 2 ? "has two @" : fmt::format("has {} @", ats);
  if (address.find(' ') != std::string_view::npos) return "has a blank in it";
  const std::size_t at = address.find('@');
  if (auto wrong = complaint_about_local(address.substr(0, at)); !wrong.empty()) return wrong;
  if (auto wrong = complaint_about_domain(address.substr(at + 1)); !wrong.empty()) return wrong;
  if (address.size() > longest_address) return fmt::format("is longer than {} characters", longest_address);
  return {};
}

struct FreeUrl {
  void operator()(CURLU* url) const noexcept { curl_url_cleanup(url); }
};
using UrlHandle = std::unique_ptr<CURLU, FreeUrl>;

std::string part(CURLU* url, CURLUPart which, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, which, &text, flags) != CURLUE_OK) return {};
  std::string copy(text);
  curl_free(text);
  return copy;
}

}  // namespace

Result<std::string> mail_address(std::string_view typed) {
  const std::string_view address = trimmed(typed);
  if (address.empty()) return setup("the mail address is empty");
  if (auto wrong = complaint_about_address(address); !wrong.empty())
    return setup(fmt::format("the mail address {} {}", cut(one_line(address), 100), wrong));
  const std::size_t at = address.find('@');
  return std::string(address.substr(0, at)) + lower(address.substr(at));
}

Result<std::string> webhook_url(std::string_view typed) {
  const std::string_view url = trimmed(typed);
  if (auto read = read_url(url); !read) return std::move(read).error();
  return std::string(url);
}

Result<Url> read_url(std::string_view text) {
  if (text.empty()) return setup("the webhook's URL is empty");
  if (text.size() > longest_url)
    return setup(fmt::format("the webhook's URL is longer than {} bytes", longest_url));
  if (!std::all_of(text.begin(), text.end(), is_printable_ascii))
    return setup("the webhook's URL has blanks, control characters or characters that are not ASCII in it");
  const std::string begin = lower(text.substr(0, 8));
  const std::size_t slashes = begin.starts_with("http://") ? 7 : begin == "https://" ? 8 : 0;
  if (slashes == 0) return setup("the webhook's URL does not begin with http:// or https://");
  // libcurl would overlook a third slash and take the path for the host.
  if (text.size() == slashes || text[slashes] == '/') return setup("the webhook's URL has no host");
  const UrlHandle url{curl_url()};
  if (!url) throw std::bad_alloc();
  const std::string terminated(text);
  const CURLUcode code = curl_url_set(url.get(), CURLUPART_URL, terminated.c_str(), 0);
  if (code == CURLUE_NO_HOST) return setup("the webhook's URL has no host");
  if (code == CURLUE_BAD_PORT_NUMBER) return setup("the webhook's URL has a port that is none");
  if (code != CURLUE_OK)
    return setup(fmt::format("the webhook's URL cannot be read: {}", curl_url_strerror(code)));
  Url read;
  read.scheme = part(url.get(), CURLUPART_SCHEME);
  read.peer.host = part(url.get(), CURLUPART_HOST);
  if (read.peer.host.size() > 2 && read.peer.host.front() == '[')
    read.peer.host = read.peer.host.substr(1, read.peer.host.size() - 2);
  if (read.peer.host.empty()) return setup("the webhook's URL has no host");
  if (!part(url.get(), CURLUPART_USER).empty() || !part(url.get(), CURLUPART_PASSWORD).empty())
    return setup(
        fmt::format("the webhook's URL at {} has a user or a password in it; a receiver knows us by the "
                    "signature",
                    one_line(read.peer.host)));
  const std::string port = part(url.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT);
  std::from_chars(port.data(), port.data() + port.size(), read.peer.port);
  if (read.peer.port == 0) return setup("the webhook's URL has a port that is none");
  return read;
}

Result<void> check_host(std::string_view host) {
  if (host.empty()) return setup("the mail server's name is empty");
  const bool plain = std::all_of(host.begin(), host.end(), [](char c) {
    return is_letter_or_digit(c) || std::string_view(".-_:%").find(c) != std::string_view::npos;
  });
  if (!plain || host.size() > longest_domain)
    return setup(
        fmt::format("the mail server's name {} is not the name of a host", cut(one_line(host), 100)));
  return {};
}

std::string Peer::host_in_url() const {
  return host.find(':') == std::string::npos ? host : '[' + host + ']';
}

std::string Peer::to_text() const {
  return fmt::format("{}:{}", one_line(host_in_url()), port);
}

}  // namespace nightjar::delivery
