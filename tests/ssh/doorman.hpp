// A small SSH server on libssh whose login the test writes: which methods are offered, what is asked, what is
// right. It keeps what it was told. Its sessions know a few commands: see serve_session.
#pragma once
#include "ssh/peers.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace nightjar::ssh::testing {

struct House {
  std::string host_key_type = "ed25519";  // or rsa:1024, ecdsa
  std::string host_key_algorithms;        // empty: libssh's default
  bool none_is_enough = false;
  bool offers_password = true;
  bool offers_questions = false;
  std::string password = "right";
  bool password_is_half = false;  // a right password is only the first part

  struct Prompt {
    std::string text;
    bool echo = false;
    std::string answer;  // the right one
  };
  std::vector<std::vector<Prompt>> rounds;  // of keyboard-interactive, in order; a round may be empty

  bool opens_channels = true;
  std::size_t shell_bytes = 0;  // said at once by a new shell
};

class Doorman {
 public:
  explicit Doorman(House house = {});
  std::uint16_t port() const { return peer_->port(); }
  std::string name() const { return peer_->name(); }
  std::vector<std::string> passwords() const;  // all that were tried, by whatever method
  int logins() const;
  int polite_ends() const;  // sessions that ended with the client's disconnect message
  Peer::Serve serve();      // the same server behind another listener

 private:
  struct State;
  std::shared_ptr<State> state_;
  std::unique_ptr<Peer> peer_;
};

}  // namespace nightjar::ssh::testing
