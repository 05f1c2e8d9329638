// Carries one message to one server and says what became of it: mail over SMTP, posts over HTTP, both through
// libcurl. It decides nothing about who is told, keeps nothing, and tries once; whether and when there is
// another try is the caller's, who may read it off the verdict. Each delivery has a connection and a deadline
// of its own: no server delays what is for another, and no connection is shared between customers.
#pragma once
#include <nightjar/base/secret.hpp>
#include <nightjar/delivery/mail.hpp>
#include <nightjar/delivery/webhook.hpp>
#include <nightjar/runtime/asio.hpp>
#include <nightjar/runtime/clock.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nightjar::delivery {

enum class Security : std::uint8_t {
  none,      // in the clear; a login only to this machine
  starttls,  // clear until STARTTLS, which must succeed; port 587 as a rule
  tls        // from the first byte; port 465 as a rule
};

// `timeout` is for all of a delivery, from the name's look-up to the last answer: at least 1 s, at most 10
// min.
struct MailServer {
  std::string host;  // a name, or an address without brackets
  std::uint16_t port = 587;
  Security security = Security::starttls;
  std::string username{};  // empty: no login
  Secret password{};
  std::string ca_file{};  // PEM, trusted beside the system's; empty: the system's alone
  Seconds timeout{60};
};

struct Post {
  std::string url;  // as webhook_url() takes it
  Headers headers;
  std::string body;
  std::string ca_file{};
  // Lets the post go to link-local, multicast and unspecified addresses and to those where clouds keep their
  // credentials. Private and loopback addresses need no leave.
  bool allow_link_local = false;
  Seconds timeout{30};
};

enum class Verdict : std::uint8_t {
  delivered,
  deferred,  // not now: no connection, no answer, the server is busy or broken, or rejects the login; try
             // again
  refused,   // not ever: this message is not taken, or cannot be sent as it stands
  gone       // HTTP 410: this receiver wants no more messages at all
};
std::string_view to_text(Verdict);

// A recipient that the server did not take, or that is no mail address, while the mail went to others.
struct LeftOut {
  std::string address;
  Verdict verdict;  // deferred or refused
  std::string said;
};

struct Answer {
  Verdict verdict = Verdict::deferred;
  int status = 0;  // of HTTP or SMTP; 0: there was no answer
  // One sentence for people, without full stop, on one line: what the server said or why it was not reached,
  // with host and port. Neither a password nor a URL's path is in it.
  std::string detail{};
  std::optional<Seconds> retry_after{};  // asked for by the server; at most a day
  std::vector<LeftOut> left_out{};
};

class Courier {
 public:
  // The clock turns the date of a Retry-After into a wait.
  explicit Courier(const runtime::Clock& clock);
  Courier(const Courier&) = delete;
  Courier& operator=(const Courier&) = delete;
  // Stops. The executors of tasks that wait outlive the courier.
  ~Courier();

  // What can be sent at all is checked first: an address that is none, or a login in the clear to another
  // machine, is `refused` with status 0. Exceptions are bugs or exhausted memory. The task resumes on its own
  // executor, and the io_context does not run out of work meanwhile; cancelling it does not stop the
  // delivery. As many as are given are under way at once; a mail takes a thread, so the caller limits how
  // many.
  Task<Answer> send(MailServer server, Mail mail);
  Task<Answer> post(Post post);

  // Drops what is under way and what comes later: each is `deferred`. It may have arrived all the same. Takes
  // a second or two when a mail is under way.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace nightjar::delivery
