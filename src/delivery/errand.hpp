// One delivery from libcurl's side: everything that a transfer's callbacks touch, and the judgement when it
// is over. MailErrand and PostErrand fill in what their protocol says. It outlives the easy handle it has
// equipped.
#pragma once
#include "delivery/peer.hpp"

#include <nightjar/delivery/courier.hpp>

#include <curl/curl.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nightjar::delivery {

struct CloseEasy {
  void operator()(CURL* easy) const noexcept { curl_easy_cleanup(easy); }
};
using Easy = std::unique_ptr<CURL, CloseEasy>;

struct FreeList {
  void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
};
using List = std::unique_ptr<curl_slist, FreeList>;
List appended(List list, const std::string& line);

// Options that the program itself chooses are right or it is a bug: a refusal throws.
void check(CURLcode code);
template <class T>
void set(CURL* easy, CURLoption option, T value) {
  check(curl_easy_setopt(easy, option, value));
}

class Errand {
 public:
  Errand(Peer peer, Seconds timeout, std::string ca_file);
  Errand(const Errand&) = delete;
  Errand& operator=(const Errand&) = delete;
  virtual ~Errand() = default;

  // An easy handle that will do this errand. Its data is this object's.
  Easy equip();

  // Called once, when the transfer is over.
  virtual Answer judge(CURL* easy, CURLcode code, UtcTime now) = 0;

  // It was neither finished nor refused: the reason is ours.
  Answer dropped(std::string_view why) const;

 protected:
  virtual void equip_for_protocol(CURL* easy) = 0;
  // Whether a socket to this address may be made.
  virtual bool may_connect(const curl_sockaddr&) { return true; }

  const Peer& peer() const { return peer_; }
  // There was no answer: the network, the name, TLS or a deadline.
  Answer not_reached(CURL* easy, CURLcode code) const;
  // Nothing more is read from or written to the server.
  void hang_up();

 private:
  static curl_socket_t open_socket(void* self, curlsocktype purpose, curl_sockaddr* address);
  static int close_socket(void* self, curl_socket_t socket);
  std::string why_not_reached(CURL* easy, CURLcode code) const;

  Peer peer_;
  Seconds timeout_;
  std::string ca_file_;
  std::vector<curl_socket_t> sockets_;  // open ones
  std::array<char, CURL_ERROR_SIZE> error_{};
};

// Refused with class setup's words when it cannot be sent as it stands.
Result<std::unique_ptr<Errand>> mail_errand(MailServer server, Mail mail);
Result<std::unique_ptr<Errand>> post_errand(Post post);

}  // namespace nightjar::delivery
