// A plain SSH client for the lab's own tests: blocking libssh in the test's thread, every wait bounded. It
// knows nothing of the product's client side.
#pragma once
#include <libssh/libssh.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace nightjar::lab {

class Visitor {
 public:
  explicit Visitor(std::uint16_t port, const std::string& username = "nightjar");
  ~Visitor();
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;

  void allow_legacy();
  bool connect();  // to the end of the key exchange
  int try_none();  // SSH_AUTH_*
  int try_password(const std::string& password);
  int try_key(ssh_key key);
  int methods();  // after try_none
  int interactive(const std::string& answer, int& empty_rounds);
  bool open_shell();
  bool log_in();  // connect, right password, shell

  void type(std::string_view text);
  // Everything up to and including `text`; what came instead when the channel ended or 10 s passed.
  std::string read_until(std::string_view text);
  std::string read_to_end();                          // until EOF or a broken connection
  std::string read_while_it_comes(int milliseconds);  // until that long nothing came
  bool is_silent(int milliseconds);                   // nothing comes, and the channel stays open
  // Types the line and reads to the prompt; the answer without echo and prompt, LF line ends.
  std::string ask(std::string_view line, std::string_view prompt);
  std::string exec(const std::string& command, int& status);  // one more channel of the session

  std::string error() const { return ssh_get_error(session_.get()); }
  std::string fingerprint() const;
  void vanish();  // closes the socket without a word

 private:
  struct Free {
    void operator()(ssh_session session) const noexcept { ssh_free(session); }
  };
  std::string read_some(int milliseconds);

  std::unique_ptr<ssh_session_struct, Free> session_;
  ssh_channel channel_ = nullptr;  // dies with the session
  std::string pending_;            // read, but not asked for yet
  bool ended_ = false;
  bool connected_ = false;
};

// What comes on a bare TCP connection until the peer closes; `refused` tells that none came about.
struct Doorstep {
  std::string text;
  bool refused = false;
  bool reset = false;
  bool silent = false;  // nothing within the given time, still open
};
Doorstep knock(std::uint16_t port, int milliseconds = 5000);

}  // namespace nightjar::lab
