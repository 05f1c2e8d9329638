#include "ssh/doorman.hpp"

#include <libssh/libssh.h>
#include <libssh/server.h>

#include <stdexcept>
#include <unistd.h>

namespace nightjar::ssh::testing {

struct Doorman::State {
  House house;
  ssh_key key = nullptr;
  mutable std::mutex mutex;
  std::vector<std::string> passwords;
  int logins = 0;
  int polite_ends = 0;

  ~State() { ssh_key_free(key); }

  void note(const char* password) {
    std::lock_guard lock(mutex);
    passwords.emplace_back(password != nullptr ? password : "");
  }

  void serve(int socket);
  bool log_in(ssh_session session);
  bool answer_auth(ssh_session session, ssh_message message, std::size_t& round);
  bool serve_session(ssh_session session);  // true: the client said goodbye
  bool run(ssh_session session, ssh_channel channel, const std::string& command);  // false: disconnected
};

namespace {

ssh_key make_key(const std::string& type) {
  ssh_key key = nullptr;
  ssh_keytypes_e kind = SSH_KEYTYPE_ED25519;
  int bits = 0;
  if (type.rfind("rsa:", 0) == 0) {
    kind = SSH_KEYTYPE_RSA;
    bits = std::stoi(type.substr(4));
  } else if (type == "ecdsa") {
    kind = SSH_KEYTYPE_ECDSA_P256;
    bits = 256;
  }
  if (ssh_pki_generate(kind, bits, &key) != SSH_OK) throw std::runtime_error("no host key");
  return key;
}

// libssh would wait for ever on a session that it has already given up.
ssh_message next_message(ssh_session session) {
  if (ssh_is_connected(session) == 0 || (ssh_get_status(session) & SSH_CLOSED_ERROR) != 0) return nullptr;
  return ssh_message_get(session);
}

}  // namespace

bool Doorman::State::answer_auth(ssh_session session, ssh_message message, std::size_t& round) {
  int methods = (house.offers_password ? SSH_AUTH_METHOD_PASSWORD : 0) |
                (house.offers_questions ? SSH_AUTH_METHOD_INTERACTIVE : 0);
  auto ask = [&] {
    std::vector<const char*> texts;
    std::vector<char> echoes;
    for (const House::Prompt& prompt : house.rounds[round]) {
      texts.push_back(prompt.text.c_str());
      echoes.push_back(prompt.echo ? 1 : 0);
    }
    ssh_message_auth_interactive_request(message, "", "", static_cast<unsigned>(texts.size()), texts.data(),
                                         echoes.data());
  };
  switch (ssh_message_subtype(message)) {
    case SSH_AUTH_METHOD_NONE:
      if (house.none_is_enough) return true;
      break;
    case SSH_AUTH_METHOD_PASSWORD: {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored \
    "-Wdeprecated-declarations"  // in favour of callbacks, which this server has no use for
      const char* tried = ssh_message_auth_password(message);
#pragma GCC diagnostic pop
      note(tried);
      if (!house.offers_password || house.password != tried) break;
      if (!house.password_is_half) return true;
      house.password_is_half = false;
      ssh_message_auth_set_methods(message, SSH_AUTH_METHOD_INTERACTIVE);
      ssh_message_auth_reply_success(message, 1);
      return false;
    }
    case SSH_AUTH_METHOD_INTERACTIVE: {
      if (house.rounds.empty()) break;
      if (!ssh_message_auth_kbdint_is_response(message)) {
        round = 0;
        ask();
        return false;
      }
      const auto& prompts = house.rounds[round];
      bool right = ssh_userauth_kbdint_getnanswers(session) == static_cast<int>(prompts.size());
      for (std::size_t i = 0; right && i < prompts.size(); ++i) {
        const char* answer = ssh_userauth_kbdint_getanswer(session, static_cast<unsigned>(i));
        if (!prompts[i].echo) note(answer);
        right = answer != nullptr && prompts[i].answer == answer;
      }
      if (!right) break;
      if (++round == house.rounds.size()) return true;
      ask();
      return false;
    }
    default:
      break;
  }
  ssh_message_auth_set_methods(message, methods);
  ssh_message_reply_default(message);
  return false;
}

bool Doorman::State::log_in(ssh_session session) {
  std::size_t round = 0;
  while (ssh_message message = next_message(session)) {
    bool in = false;
    if (ssh_message_type(message) == SSH_REQUEST_AUTH) {
      in = answer_auth(session, message, round);
      if (in) ssh_message_auth_reply_success(message, 0);
    } else {
      ssh_message_reply_default(message);
    }
    ssh_message_free(message);
    if (in) {
      std::lock_guard lock(mutex);
      ++logins;
      return true;
    }
  }
  return false;
}

// "say TEXT": the text on stdout, status 0. "fail TEXT": the text on stderr, status 3. "cut": half a text, no
// status. "vanish": text and the end of the connection at once. "big N": N bytes. "hang": nothing.
bool Doorman::State::run(ssh_session session, ssh_channel channel, const std::string& command) {
  auto write = [&](const std::string& text) {
    ssh_channel_write(channel, text.data(), static_cast<std::uint32_t>(text.size()));
  };
  if (command.rfind("say ", 0) == 0) {
    write(command.substr(4));
    ssh_channel_request_send_exit_status(channel, 0);
  } else if (command.rfind("fail ", 0) == 0) {
    ssh_channel_write_stderr(channel, command.data() + 5, static_cast<std::uint32_t>(command.size() - 5));
    ssh_channel_request_send_exit_status(channel, 3);
  } else if (command.rfind("big ", 0) == 0) {
    write(std::string(std::stoul(command.substr(4)), 'x'));
    ssh_channel_request_send_exit_status(channel, 0);
  } else if (command == "cut") {
    write("half a te");
  } else if (command == "vanish") {
    write("last words");
    ssh_disconnect(session);
    return false;
  } else {
    return true;
  }
  ssh_channel_send_eof(channel);
  ssh_channel_close(channel);
  return true;
}

// A shell echoes; the line "bye" makes it close its channel, "vanish" drops the connection after "last
// words".
bool Doorman::State::serve_session(ssh_session session) {
  // libssh's text lasts until its next complaint.
  auto said_goodbye = [&] {
    return std::string_view(ssh_get_error(session)).find("SSH_MSG_DISCONNECT: 11") != std::string_view::npos;
  };
  bool polite = false;
  bool connected = true;
  while (ssh_message message = connected ? next_message(session) : nullptr) {
    int type = ssh_message_type(message);
    int subtype = ssh_message_subtype(message);
    if (type == SSH_REQUEST_CHANNEL_OPEN && subtype == SSH_CHANNEL_SESSION && house.opens_channels) {
      ssh_message_channel_request_open_reply_accept(message);
    } else if (type == SSH_REQUEST_CHANNEL && subtype == SSH_CHANNEL_REQUEST_PTY) {
      ssh_message_channel_request_reply_success(message);
    } else if (type == SSH_REQUEST_CHANNEL && subtype == SSH_CHANNEL_REQUEST_EXEC) {
      ssh_message_channel_request_reply_success(message);
      std::string command = ssh_message_channel_request_command(message);
      connected = run(session, ssh_message_channel_request_channel(message), command);
    } else if (type == SSH_REQUEST_CHANNEL && subtype == SSH_CHANNEL_REQUEST_SHELL) {
      ssh_message_channel_request_reply_success(message);
      ssh_channel channel = ssh_message_channel_request_channel(message);
      std::string text(house.shell_bytes, 'c');
      ssh_channel_write(channel, text.data(), static_cast<std::uint32_t>(text.size()));
      std::string line;
      char buffer[512];
      int got = 0;
      while (connected && (got = ssh_channel_read(channel, buffer, sizeof buffer, 0)) > 0) {
        ssh_channel_write(channel, buffer, static_cast<std::uint32_t>(got));
        line.append(buffer, static_cast<std::size_t>(got));
        if (line.find("vanish\n") != std::string::npos) connected = run(session, channel, "vanish");
        if (line.find("bye\n") != std::string::npos) break;
      }
      polite = said_goodbye();
      if (connected) ssh_channel_close(channel);
    } else {
      ssh_message_reply_default(message);
    }
    ssh_message_free(message);
  }
  return polite || said_goodbye();
}

void Doorman::State::serve(int socket) {
  ssh_bind bind = ssh_bind_new();
  bool no = false;
  ssh_key own = ssh_key_dup(key);
  int least_rsa_bits = 768;
  ssh_bind_options_set(bind, SSH_BIND_OPTIONS_PROCESS_CONFIG, &no);
  ssh_bind_options_set(bind, SSH_BIND_OPTIONS_RSA_MIN_SIZE, &least_rsa_bits);
  ssh_bind_options_set(bind, SSH_BIND_OPTIONS_IMPORT_KEY, own);
  if (!house.host_key_algorithms.empty()) {
    ssh_bind_options_set(bind, SSH_BIND_OPTIONS_HOSTKEY_ALGORITHMS, house.host_key_algorithms.c_str());
  }
  ssh_session session = ssh_new();
  // libssh closes this one; the peer closes its own.
  if (ssh_bind_accept_fd(bind, session, ::dup(socket)) == SSH_OK &&
      ssh_handle_key_exchange(session) == SSH_OK) {
    if (log_in(session) && serve_session(session)) {
      std::lock_guard lock(mutex);
      ++polite_ends;
    }
  }
  ssh_free(session);
  ssh_bind_free(bind);
}

Doorman::Doorman(House house) : state_(std::make_shared<State>()) {
  state_->key = make_key(house.host_key_type);
  state_->house = std::move(house);
  peer_ = std::make_unique<Peer>(serve());
}

Peer::Serve Doorman::serve() {
  return [state = state_](int socket) { state->serve(socket); };
}

std::vector<std::string> Doorman::passwords() const {
  std::lock_guard lock(state_->mutex);
  return state_->passwords;
}

int Doorman::logins() const {
  std::lock_guard lock(state_->mutex);
  return state_->logins;
}

int Doorman::polite_ends() const {
  std::lock_guard lock(state_->mutex);
  return state_->polite_ends;
}

}  // namespace nightjar::ssh::testing
