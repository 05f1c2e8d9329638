#include "delivery/errand.hpp"
#include "delivery/guard.hpp"
#include "delivery/retry_after.hpp"
#include "delivery/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <arpa/inet.h>
#include <netinet/in.h>

namespace nightjar::delivery {
namespace {

constexpr std::size_t most_body = 64 * 1024;     // what is read of an answer
constexpr std::size_t most_headers = 64 * 1024;  // more is no answer
constexpr std::size_t most_characters = 200;     // of the answer's first line

bool is_token(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return c > 0x20 && c < 0x7F && std::string_view("\"(),/:;<=>?@[\\]{}").find(c) == std::string_view::npos;
  });
}

bool is_header_value(std::string_view value) {
  return !value.empty() && std::none_of(value.begin(), value.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
}

std::string address_text(const curl_sockaddr& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.family == AF_INET)
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address.addr).sin_addr, text.data(),
              text.size());
  else if (address.family == AF_INET6)
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6&>(address.addr).sin6_addr, text.data(),
              text.size());
  return text.data();
}

Verdict verdict_on(int status) {
  if (status >= 200 && status < 300) return Verdict::delivered;
  if (status == 410) return Verdict::gone;
  if (status == 408 || status == 425 || status == 429 || status >= 500) return Verdict::deferred;
  return Verdict::refused;
}

class PostErrand final : public Errand {
 public:
  PostErrand(Post post, Url url)
      : Errand(url.peer, post.timeout, post.ca_file), post_(std::move(post)), url_(std::move(url)) {}

  Answer judge(CURL* easy, CURLcode code, UtcTime now) override {
    // A status that came whole counts, whatever became of the rest of the answer.
    if (status_ >= 200 && headers_complete_) return answered(now);
    if (code == CURLE_COULDNT_CONNECT && !forbidden_.empty() && !tried_another_)
      return {.verdict = Verdict::refused, .detail = forbidden_};
    Answer answer = not_reached(easy, code);
    if (code == CURLE_WRITE_ERROR)
      answer.detail =
          fmt::format("{} answers with more than {} KiB of headers", peer().to_text(), most_headers / 1024);
    if (!forbidden_.empty()) answer.detail += "; " + forbidden_;
    return answer;
  }

 private:
  void equip_for_protocol(CURL* easy) override {
    // An empty Expect: no waiting for 100 Continue before a large body.
    List list = appended(nullptr, "Expect:");
    for (const auto& [name, value] : post_.headers)
      list = appended(std::move(list), fmt::format("{}: {}", name, value));
    headers_ = std::move(list);
    set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    set(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(easy, CURLOPT_URL, post_.url.c_str());
    set(easy, CURLOPT_USERAGENT, "Nightjar/" NIGHTJAR_VERSION);
    set(easy, CURLOPT_HTTPHEADER, headers_.get());
    set(easy, CURLOPT_POST, 1L);
    set(easy, CURLOPT_POSTFIELDS, post_.body.c_str());
    set(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(post_.body.size()));
    set(easy, CURLOPT_HEADERFUNCTION, &PostErrand::take_header);
    set(easy, CURLOPT_HEADERDATA, static_cast<void*>(this));
    set(easy, CURLOPT_WRITEFUNCTION, &PostErrand::take_body);
    set(easy, CURLOPT_WRITEDATA, static_cast<void*>(this));
  }

  bool may_connect(const curl_sockaddr& address) override {
    const auto kind = post_.allow_link_local ? std::nullopt : forbidden_kind(address.addr);
    if (!kind)
      tried_another_ = true;
    else
      forbidden_ = fmt::format("{} leads to {}, {}: not allowed for a webhook", peer().to_text(),
                               address_text(address), *kind);
    return !kind;
  }

  static std::size_t take_header(char* data, std::size_t size, std::size_t count, void* self) {
    return static_cast<PostErrand*>(self)->header({data, size * count}) ? size * count : 0;
  }

  static std::size_t take_body(char* data, std::size_t size, std::size_t count, void* self) {
    auto& errand = *static_cast<PostErrand*>(self);
    const std::size_t room = most_body - errand.body_.size();
    errand.body_.append(data, std::min(room, size * count));
    return size * count <= room ? size * count : 0;
  }

  bool header(std::string_view line) {
    header_bytes_ += line.size();
    if (header_bytes_ > most_headers) return false;
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
    if (line.starts_with("HTTP/")) {
      // Each answer (100 Continue, then the real one) begins anew.
      const std::size_t blank = line.find(' ');
      const std::string_view code =
          blank == std::string_view::npos ? std::string_view{} : line.substr(blank + 1, 3);
      status_ = 0;
      for (const char c : code) status_ = c >= '0' && c <= '9' ? status_ * 10 + (c - '0') : 0;
      headers_complete_ = false;
      location_.clear();
      retry_after_.clear();
    } else if (line.empty()) {
      headers_complete_ = true;
    } else if (const std::size_t colon = line.find(':'); colon != std::string_view::npos) {
      const std::string name = lower(line.substr(0, colon));
      if (name == "location") location_ = trimmed(line.substr(colon + 1));
      if (name == "retry-after") retry_after_ = trimmed(line.substr(colon + 1));
    }
    return true;
  }

  Answer answered(UtcTime now) const {
    Answer answer{.verdict = verdict_on(status_), .status = status_};
    answer.detail = fmt::format("{} answers {}", peer().to_text(), status_);
    if (status_ >= 300 && status_ < 400) {
      // Of where it points the host alone: the path may hold what lets one post there.
      const auto to = read_url(location_);
      answer.detail += to ? fmt::format(" to {}://{}", to->scheme, to->peer.to_text()) : "";
      answer.detail += "; redirects are not followed";
      return answer;
    }
    if (answer.verdict == Verdict::deferred) answer.retry_after = retry_after(retry_after_, now);
    if (const std::string line = first_line(); !line.empty()) answer.detail += ": " + line;
    return answer;
  }

  std::string first_line() const {
    const std::size_t begin = body_.find_first_not_of("\r\n \t");
    if (begin == std::string::npos) return {};
    const std::size_t end = body_.find_first_of("\r\n", begin);
    return cut(trimmed(one_line(std::string_view(body_).substr(begin, end - begin))), most_characters);
  }

  Post post_;
  Url url_;
  List headers_;
  std::string forbidden_;  // what was said about an address that may not be connected to
  bool tried_another_ = false;
  int status_ = 0;
  bool headers_complete_ = false;
  std::size_t header_bytes_ = 0;
  std::string location_;
  std::string retry_after_;
  std::string body_;
};

}  // namespace

Result<std::unique_ptr<Errand>> post_errand(Post post) {
  auto url = read_url(post.url);
  if (!url) return std::move(url).error();
  for (const auto& [name, value] : post.headers)
    if (!is_token(name) || !is_header_value(value))
      return failure(FailureClass::setup, Stage::none,
                     fmt::format("the header {} of the post to {} cannot be sent", cut(one_line(name), 100),
                                 url->peer.to_text()));
  return std::unique_ptr<Errand>(std::make_unique<PostErrand>(std::move(post), std::move(*url)));
}

}  // namespace nightjar::delivery
