#include "lab/visitor.hpp"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <chrono>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace nightjar::lab {
namespace {

constexpr std::chrono::seconds longest{10};

std::string without_cr(std::string text) {
  std::erase(text, '\r');
  return text;
}

}  // namespace

Visitor::Visitor(std::uint16_t port, const std::string& username) : session_(ssh_new()) {
  ssh_session s = session_.get();
  const bool process_config = false;
  const unsigned number = port;
  const long seconds = longest.count();
  ssh_options_set(s, SSH_OPTIONS_PROCESS_CONFIG, &process_config);
  ssh_options_set(s, SSH_OPTIONS_HOST, "127.0.0.1");
  ssh_options_set(s, SSH_OPTIONS_PORT, &number);
  ssh_options_set(s, SSH_OPTIONS_USER, username.c_str());
  ssh_options_set(s, SSH_OPTIONS_TIMEOUT, &seconds);
  ssh_options_set(s, SSH_OPTIONS_KNOWNHOSTS, "/dev/null");
  ssh_options_set(s, SSH_OPTIONS_GLOBAL_KNOWNHOSTS, "/dev/null");
}

Visitor::~Visitor() {
  if (connected_) ssh_disconnect(session_.get());
}

void Visitor::allow_legacy() {
  ssh_session s = session_.get();
  ssh_options_set(s, SSH_OPTIONS_KEY_EXCHANGE, "diffie-hellman-group14-sha1");
  ssh_options_set(s, SSH_OPTIONS_HOSTKEYS, "ssh-rsa");
  ssh_options_set(s, SSH_OPTIONS_CIPHERS_C_S, "aes128-cbc");
  ssh_options_set(s, SSH_OPTIONS_CIPHERS_S_C, "aes128-cbc");
  ssh_options_set(s, SSH_OPTIONS_HMAC_C_S, "hmac-sha1");
  ssh_options_set(s, SSH_OPTIONS_HMAC_S_C, "hmac-sha1");
}

bool Visitor::connect() {
  return connected_ = ssh_connect(session_.get()) == SSH_OK;
}
int Visitor::try_none() {
  return ssh_userauth_none(session_.get(), nullptr);
}
int Visitor::try_password(const std::string& password) {
  return ssh_userauth_password(session_.get(), nullptr, password.c_str());
}
int Visitor::try_key(ssh_key key) {
  return ssh_userauth_publickey(session_.get(), nullptr, key);
}
int Visitor::methods() {
  return ssh_userauth_list(session_.get(), nullptr);
}

int Visitor::interactive(const std::string& answer, int& empty_rounds) {
  ssh_session s = session_.get();
  int rc = ssh_userauth_kbdint(s, nullptr, nullptr);
  while (rc == SSH_AUTH_INFO) {
    const int prompts = ssh_userauth_kbdint_getnprompts(s);
    if (prompts == 0) ++empty_rounds;
    for (int i = 0; i < prompts; ++i)
      ssh_userauth_kbdint_setanswer(s, static_cast<unsigned>(i), answer.c_str());
    rc = ssh_userauth_kbdint(s, nullptr, nullptr);
  }
  return rc;
}

bool Visitor::open_shell() {
  channel_ = ssh_channel_new(session_.get());
  ended_ = false;
  return ssh_channel_open_session(channel_) == SSH_OK &&
         ssh_channel_request_pty_size(channel_, "vt100", 511, 24) == SSH_OK &&
         ssh_channel_request_shell(channel_) == SSH_OK;
}

bool Visitor::log_in() {
  return connect() && try_password("lab-password") == SSH_AUTH_SUCCESS && open_shell();
}

void Visitor::type(std::string_view text) {
  ssh_channel_write(channel_, text.data(), static_cast<std::uint32_t>(text.size()));
}

std::string Visitor::read_some(int milliseconds) {
  std::array<char, 16'384> buffer{};
  const int got = ssh_channel_read_timeout(channel_, buffer.data(), buffer.size(), 0, milliseconds);
  if (got > 0) return {buffer.data(), static_cast<std::size_t>(got)};
  if (got == SSH_ERROR || ssh_channel_is_eof(channel_) != 0 || ssh_channel_is_open(channel_) == 0)
    ended_ = true;
  return {};
}

std::string Visitor::read_until(std::string_view text) {
  const auto last = std::chrono::steady_clock::now() + longest;
  std::size_t found = pending_.find(text);
  while (found == std::string::npos && !ended_ && std::chrono::steady_clock::now() < last) {
    pending_ += read_some(200);
    found = pending_.find(text);
  }
  const std::size_t end = found == std::string::npos ? pending_.size() : found + text.size();
  std::string seen = pending_.substr(0, end);
  pending_.erase(0, end);
  return seen;
}

std::string Visitor::read_to_end() {
  const auto last = std::chrono::steady_clock::now() + longest;
  while (!ended_ && std::chrono::steady_clock::now() < last) pending_ += read_some(200);
  return std::exchange(pending_, {});
}

std::string Visitor::read_while_it_comes(int milliseconds) {
  std::string seen = std::exchange(pending_, {});
  for (std::string more = read_some(milliseconds); !more.empty(); more = read_some(milliseconds))
    seen += more;
  return seen;
}

bool Visitor::is_silent(int milliseconds) {
  return pending_.empty() && read_some(milliseconds).empty() && !ended_;
}

std::string Visitor::ask(std::string_view line, std::string_view prompt) {
  type(std::string(line) + "\n");
  std::string answer = read_until("\n");
  answer = without_cr(answer + read_until(prompt));
  const std::size_t echo = answer.find('\n');
  answer.erase(0, echo == std::string::npos ? answer.size() : echo + 1);
  const std::size_t end = answer.rfind(without_cr(std::string(prompt)));
  if (end != std::string::npos) answer.erase(end);
  return answer;
}

std::string Visitor::exec(const std::string& command, int& status) {
  channel_ = ssh_channel_new(session_.get());
  ended_ = false;
  if (ssh_channel_open_session(channel_) != SSH_OK ||
      ssh_channel_request_exec(channel_, command.c_str()) != SSH_OK)
    return "no channel";
  std::string text = read_to_end();
  status = ssh_channel_get_exit_status(channel_);
  ssh_channel_free(channel_);
  channel_ = nullptr;
  return text;
}

std::string Visitor::fingerprint() const {
  ssh_key key = nullptr;
  if (ssh_get_server_publickey(session_.get(), &key) != SSH_OK) return {};
  unsigned char* hash = nullptr;
  std::size_t length = 0;
  ssh_get_publickey_hash(key, SSH_PUBLICKEY_HASH_SHA256, &hash, &length);
  char* text = ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, length);
  std::string fingerprint = text;
  ssh_string_free_char(text);
  ssh_clean_pubkey_hash(&hash);
  ssh_key_free(key);
  return fingerprint;
}

void Visitor::vanish() {
  ssh_silent_disconnect(session_.get());
  connected_ = false;
}

Doorstep knock(std::uint16_t port, int milliseconds) {
  Doorstep found;
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  ::inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
    found.refused = errno == ECONNREFUSED;
    found.reset = errno == ECONNRESET;
    ::close(fd);
    return found;
  }
  for (;;) {
    pollfd wait{fd, POLLIN, 0};
    if (::poll(&wait, 1, milliseconds) == 0) {
      found.silent = true;
      break;
    }
    std::array<char, 1024> buffer{};
    const ssize_t got = ::recv(fd, buffer.data(), buffer.size(), 0);
    if (got <= 0) {
      found.reset = got < 0 && errno == ECONNRESET;
      break;
    }
    found.text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  ::close(fd);
  return found;
}

}  // namespace nightjar::lab
