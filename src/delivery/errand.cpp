#include "delivery/errand.hpp"

#include "delivery/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace nightjar::delivery {
namespace {

constexpr Seconds shortest_timeout{1};
constexpr Seconds longest_timeout{600};

}  // namespace

List appended(List list, const std::string& line) {
  curl_slist* const longer = curl_slist_append(list.get(), line.c_str());
  if (!longer) throw std::bad_alloc();
  if (!list) list.reset(longer);  // otherwise it is the same head
  return list;
}

void check(CURLcode code) {
  if (code == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
  if (code != CURLE_OK) throw std::logic_error(fmt::format("libcurl: {}", curl_easy_strerror(code)));
}

Errand::Errand(Peer peer, Seconds timeout, std::string ca_file)
    : peer_(std::move(peer)),
      timeout_(std::clamp(timeout, shortest_timeout, longest_timeout)),
      ca_file_(std::move(ca_file)) {}

Easy Errand::equip() {
  Easy easy{curl_easy_init()};
  if (!easy) throw std::bad_alloc();
  CURL* const e = easy.get();
  set(e, CURLOPT_ERRORBUFFER, error_.data());
  set(e, CURLOPT_NOSIGNAL, 1L);
  set(e, CURLOPT_NOPROGRESS, 1L);
  const long timeout_ms = Milliseconds{timeout_}.count();
  set(e, CURLOPT_TIMEOUT_MS, timeout_ms);
  set(e, CURLOPT_CONNECTTIMEOUT_MS, timeout_ms);
  // A name server that does not answer must not hold up the thread when the transfer is dropped.
  set(e, CURLOPT_QUICK_EXIT, 1L);
  // A connection made under other terms (trust, allowed addresses, login) is never taken over.
  set(e, CURLOPT_FRESH_CONNECT, 1L);
  set(e, CURLOPT_FORBID_REUSE, 1L);
  set(e, CURLOPT_PROXY, "");
  set(e, CURLOPT_FOLLOWLOCATION, 0L);
  set(e, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  set(e, CURLOPT_SSL_VERIFYPEER, 1L);
  set(e, CURLOPT_SSL_VERIFYHOST, 2L);
  set(e, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  // The system's folder of certificates (CURLOPT_CAPATH) stays beside the file.
  if (!ca_file_.empty()) set(e, CURLOPT_CAINFO, ca_file_.c_str());
  set(e, CURLOPT_OPENSOCKETFUNCTION, &Errand::open_socket);
  set(e, CURLOPT_OPENSOCKETDATA, static_cast<void*>(this));
  set(e, CURLOPT_CLOSESOCKETFUNCTION, &Errand::close_socket);
  set(e, CURLOPT_CLOSESOCKETDATA, static_cast<void*>(this));
  equip_for_protocol(e);
  return easy;
}

curl_socket_t Errand::open_socket(void* self, curlsocktype, curl_sockaddr* address) {
  auto& errand = *static_cast<Errand*>(self);
  if (!errand.may_connect(*address)) return CURL_SOCKET_BAD;
  const curl_socket_t made = ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  if (made != CURL_SOCKET_BAD) errand.sockets_.push_back(made);
  return made;
}

int Errand::close_socket(void* self, curl_socket_t socket) {
  auto& errand = *static_cast<Errand*>(self);
  std::erase(errand.sockets_, socket);
  return ::close(socket);
}

void Errand::hang_up() {
  for (const curl_socket_t socket : sockets_) ::shutdown(socket, SHUT_RDWR);
}

Answer Errand::dropped(std::string_view why) const {
  return {.verdict = Verdict::deferred,
          .detail = fmt::format("the delivery to {} was dropped: {}", peer_.to_text(), why)};
}

Answer Errand::not_reached(CURL* easy, CURLcode code) const {
  return {.verdict = Verdict::deferred, .detail = why_not_reached(easy, code)};
}

std::string Errand::why_not_reached(CURL* easy, CURLcode code) const {
  const std::string to = peer_.to_text();
  const std::string said = cut(one_line(error_[0] != '\0' ? error_.data() : curl_easy_strerror(code)), 200);
  long os_error = 0;
  curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &os_error);
  curl_off_t connected_us = 0;
  curl_easy_getinfo(easy, CURLINFO_CONNECT_TIME_T, &connected_us);
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return fmt::format("cannot reach {}: the name {} is not known", to, one_line(peer_.host));
    case CURLE_COULDNT_CONNECT:
      return fmt::format("cannot connect to {}: {}", to,
                         os_error != 0 ? std::generic_category().message(static_cast<int>(os_error)) : said);
    case CURLE_OPERATION_TIMEDOUT:
      return fmt::format("{} {} within {}", to, connected_us == 0 ? "could not be reached" : "did not answer",
                         to_span(timeout_));
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_ISSUER_ERROR:
      return fmt::format("no trusted TLS with {}: {}", to, said);
    case CURLE_SSL_CACERT_BADFILE:
      if (ca_file_.empty())
        return fmt::format(
            "no trusted TLS with {}: this machine has no trusted certificates (ca-certificates)", to);
      return fmt::format("no trusted TLS with {}: the trust file {} cannot be read", to, one_line(ca_file_));
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_PARTIAL_FILE:
      return fmt::format("{} closed the connection before it had answered", to);
    default:
      return fmt::format("the delivery to {} broke off: {}", to, said);
  }
}

}  // namespace nightjar::delivery
