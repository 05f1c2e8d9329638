// What libssh tells a Connection: logins, channels, what was typed. Notes only; nothing is freed or written
// here.
#include "lab/connection.hpp"

#include <utility>

namespace nightjar::lab {
namespace {

Connection* connection_of(void* userdata) {
  return static_cast<Connection*>(userdata);
}

}  // namespace

int Connection::judge(const char* method, const char* user, bool right) {
  note_login({method, user, right});
  if (!right) {
    ++rejected_;
    return SSH_AUTH_DENIED;
  }
  logged_in_ = true;
  username_ = user;
  return SSH_AUTH_SUCCESS;
}

void Connection::note_login(Login login) {
  log_.change(visit_, [&](Visit& v) { v.logins.push_back(std::move(login)); });
}

int Connection::on_none(ssh_session, const char* user, void* self) {
  return connection_of(self)->judge("none", user, true);
}

int Connection::on_password(ssh_session, const char* user, const char* password, void* self) {
  Connection& c = *connection_of(self);
  const Device& plan = c.unit_.plan;
  const bool right =
      plan.username == user && plan.password == password && !c.trait(Behaviour::wrong_password);
  return c.judge("password", user, right);
}

// Asked twice: whether the key would do (no signature yet), then with a signature libssh has checked.
int Connection::on_public_key(ssh_session, const char* user, ssh_key_struct* key, char state, void* self) {
  Connection& c = *connection_of(self);
  const bool known =
      c.unit_.plan.username == user && ssh_key_cmp(key, c.unit_.client_key.get(), SSH_KEY_CMP_PUBLIC) == 0;
  if (known && state == SSH_PUBLICKEY_STATE_NONE) return SSH_AUTH_SUCCESS;
  return c.judge("publickey", user, known && state == SSH_PUBLICKEY_STATE_VALID);
}

int Connection::on_message(ssh_session, ssh_message message, void* self) {
  if (ssh_message_type(message) == SSH_REQUEST_AUTH &&
      ssh_message_subtype(message) == SSH_AUTH_METHOD_INTERACTIVE &&
      connection_of(self)->trait(Behaviour::keyboard_interactive))
    return connection_of(self)->answer_interactive(message);
  return 1;  // libssh's own refusal
}

// First a round without a question, as some AAA servers send, then one question.
int Connection::answer_interactive(ssh_message message) {
  if (!ssh_message_auth_kbdint_is_response(message)) {
    interactive_round_ = 1;
    username_ = ssh_message_auth_user(message);
    ssh_message_auth_interactive_request(message, "", "Authorised use only", 0, nullptr, nullptr);
    return 0;
  }
  if (interactive_round_ == 1) {
    interactive_round_ = 2;
    const Trait* how = trait(Behaviour::keyboard_interactive);
    const char* question = how->text.empty() ? "Password: " : how->text.c_str();
    char echo = 0;
    ssh_message_auth_interactive_request(message, "", "", 1, &question, &echo);
    return 0;
  }
  ssh_session session = session_.get();
  const char* answer =
      ssh_userauth_kbdint_getnanswers(session) == 1 ? ssh_userauth_kbdint_getanswer(session, 0) : nullptr;
  const bool right = answer != nullptr && unit_.plan.username == username_ && unit_.plan.password == answer &&
                     !trait(Behaviour::wrong_password);
  const std::string user = username_;
  if (judge("keyboard-interactive", user.c_str(), right) != SSH_AUTH_SUCCESS) return 1;
  ssh_message_auth_reply_success(message, 0);
  return 0;
}

ssh_channel Connection::on_open(ssh_session session, void* self) {
  Connection& c = *connection_of(self);
  if (!c.logged_in_ || (c.channel_ != nullptr && !c.channel_closed_))
    return nullptr;  // one session at a time
  if (c.channel_ != nullptr) c.closed_channels_.push_back(c.channel_);
  c.channel_ = ssh_channel_new(session);
  c.channel_closed_ = false;
  c.shell_.reset();
  c.channel_callbacks_ = {};
  c.channel_callbacks_.userdata = self;
  c.channel_callbacks_.channel_pty_request_function = &Connection::on_pty;
  c.channel_callbacks_.channel_shell_request_function = &Connection::on_shell;
  c.channel_callbacks_.channel_exec_request_function = &Connection::on_exec;
  c.channel_callbacks_.channel_data_function = &Connection::on_data;
  c.channel_callbacks_.channel_eof_function = &Connection::on_eof;
  c.channel_callbacks_.channel_close_function = &Connection::on_close;
  ssh_callbacks_init(&c.channel_callbacks_);
  ssh_set_channel_callbacks(c.channel_, &c.channel_callbacks_);
  return c.channel_;
}

int Connection::on_pty(ssh_session, ssh_channel, const char*, int, int, int, int, void*) {
  return 0;
}

void Connection::make_shell() {
  pausing_.reset();
  backlog_.clear();
  written_ = 0;
  then_.reset();
  ShellLinks links;
  links.read_config = [this] { return unit_.read_config(number_); };
  links.saw_command = [this](std::string_view command) {
    log_.change(visit_, [&](Visit& v) { v.commands.emplace_back(command); });
  };
  links.saw_login = [this](Login login) { note_login(std::move(login)); };
  shell_ = std::make_unique<Shell>(unit_.plan, number_, username_, std::move(links));
}

int Connection::on_shell(ssh_session, ssh_channel, void* self) {
  Connection& c = *connection_of(self);
  if (c.shell_) return 1;
  c.make_shell();
  c.exec_ = false;
  c.shell_->open();
  return 0;
}

int Connection::on_exec(ssh_session, ssh_channel, const char* command, void* self) {
  Connection& c = *connection_of(self);
  if (c.shell_) return 1;
  c.make_shell();
  c.exec_ = true;
  c.shell_->run(command);
  return 0;
}

int Connection::on_data(ssh_session, ssh_channel, void* data, std::uint32_t length, int is_stderr,
                        void* self) {
  Connection& c = *connection_of(self);
  if (is_stderr == 0 && c.shell_) c.shell_->type({static_cast<const char*>(data), length});
  return static_cast<int>(length);
}

void Connection::on_eof(ssh_session, ssh_channel, void*) {}

void Connection::on_close(ssh_session, ssh_channel, void* self) {
  connection_of(self)->channel_closed_ = true;
}

}  // namespace nightjar::lab
