#include "ssh/auth.hpp"

namespace nightjar::ssh {
namespace {

constexpr int most_rounds =
    16;  // of keyboard-interactive: a server that asks for ever is not answered for ever

class Login {
 public:
  Login(Wire& wire, const Credential& credential, ssh_key key, Limit limit)
      : wire_(wire), credential_(credential), key_(key), limit_(limit) {}

  Task<Result<void>> run();

 private:
  enum class Method { none, key, password, questions };

  int call(Method method);
  Task<Result<int>> ask(Method method);
  Task<Result<int>> answer_questions();
  std::optional<Failure> answer_round();
  Failure out_of_methods(unsigned offered) const;

  std::string who() const {
    return fmt::format("{} (credential {})", credential_.username, credential_.name);
  }
  Failure refused(std::string reason) const {
    return failure(FailureClass::auth, Stage::auth, std::move(reason));
  }
  Failure password_rejected() const { return refused(fmt::format("password rejected for {}", who())); }

  Wire& wire_;
  const Credential& credential_;
  ssh_key key_;
  Limit limit_;
  bool key_tried_ = false;
  bool password_sent_ = false;
  bool asked_ = false;
  std::string key_trouble_;
};

int Login::call(Method method) {
  const char* name = credential_.username.c_str();
  switch (method) {
    case Method::none:
      return ssh_userauth_none(wire_.session(), name);
    case Method::key:
      return ssh_userauth_publickey(wire_.session(), name, key_);
    case Method::password:
      return ssh_userauth_password(wire_.session(), name, credential_.password.reveal().c_str());
    case Method::questions:
      return ssh_userauth_kbdint(wire_.session(), name, nullptr);
  }
  return SSH_AUTH_ERROR;
}

// SSH_AUTH_SUCCESS, DENIED, PARTIAL or INFO.
Task<Result<int>> Login::ask(Method method) {
  for (;;) {
    int rc = call(method);
    if (rc != SSH_AUTH_ERROR && rc != SSH_AUTH_AGAIN) co_return rc;
    if (rc == SSH_AUTH_ERROR || wire_.is_broken()) co_return wire_.broken(Stage::auth);
    Wire::Wake wake = co_await wire_.wait(limit_.until);
    if (wake == Wire::Wake::expired) {
      co_return failure(FailureClass::timeout, Stage::auth,
                        fmt::format("no answer to the login from {} within {}", wire_.peer(), limit_.span()));
    }
  }
}

std::optional<Failure> Login::answer_round() {
  ssh_session session = wire_.session();
  int prompts = ssh_userauth_kbdint_getnprompts(session);
  for (int i = 0; i < prompts; ++i) {
    auto at = static_cast<unsigned>(i);
    char echo = 0;
    const char* text = ssh_userauth_kbdint_getprompt(session, at, &echo);
    std::string prompt = one_line(text != nullptr ? text : "");
    const char* answer = nullptr;
    switch (classify(prompt, echo != 0)) {
      case Question::second_factor:
        return refused(fmt::format("mfa_required: {} asks {} for \"{}\"", wire_.peer(), who(), prompt));
      case Question::new_password:
        return refused(fmt::format("password change required for {}: the device asks \"{}\"", who(), prompt));
      case Question::unknown:
        return refused(fmt::format("{} asks \"{}\" at login, which is neither a name nor a password",
                                   wire_.peer(), prompt));
      case Question::username:
        answer = credential_.username.c_str();
        break;
      case Question::password:
        if (password_sent_) return password_rejected();
        password_sent_ = true;
        answer = credential_.password.reveal().c_str();
        break;
    }
    if (ssh_userauth_kbdint_setanswer(session, at, answer) != SSH_OK) {
      return failure(FailureClass::local, Stage::auth, "out of memory for a login answer");
    }
  }
  return std::nullopt;
}

Task<Result<int>> Login::answer_questions() {
  bool second_part = password_sent_;
  for (int round = 0; round < most_rounds; ++round) {
    Result<int> rc = co_await ask(Method::questions);
    if (!rc || *rc != SSH_AUTH_INFO) co_return rc;
    if (second_part && ssh_userauth_kbdint_getnprompts(wire_.session()) > 0) {
      co_return refused(
          fmt::format("mfa_required: {} asks {} for more than the password", wire_.peer(), who()));
    }
    if (auto trouble = answer_round()) co_return std::move(*trouble);
  }
  co_return refused(fmt::format("{} asks more than {} rounds of login questions", wire_.peer(), most_rounds));
}

Failure Login::out_of_methods(unsigned offered) const {
  if (key_tried_ && credential_.password.empty() && key_trouble_.empty()) {
    return refused(fmt::format("key rejected for {}", who()));
  }
  std::string methods;
  auto add = [&](unsigned bit, std::string_view name) {
    if ((offered & bit) == 0) return;
    if (!methods.empty()) methods += ", ";
    methods += name;
  };
  add(SSH_AUTH_METHOD_PUBLICKEY, "publickey");
  add(SSH_AUTH_METHOD_PASSWORD, "password");
  add(SSH_AUTH_METHOD_INTERACTIVE, "keyboard-interactive");
  add(SSH_AUTH_METHOD_HOSTBASED, "hostbased");
  add(SSH_AUTH_METHOD_GSSAPI_MIC, "gssapi-with-mic");
  std::string_view has = "nothing";
  if (key_ != nullptr)
    has = credential_.password.empty() ? "a key" : "a key and a password";
  else if (!credential_.password.empty())
    has = "a password";
  return refused(fmt::format("no way to log in as {}: {} offers {}, the credential holds {}{}", who(),
                             wire_.peer(), methods.empty() ? "nothing" : methods, has, key_trouble_));
}

Task<Result<void>> Login::run() {
  Result<int> rc = co_await ask(Method::none);
  for (;;) {
    if (!rc) co_return rc.error();
    if (*rc == SSH_AUTH_SUCCESS) co_return Result<void>();
    // A password that was refused is not offered a second time by another method: it would count twice for a
    // lock-out.
    if (*rc == SSH_AUTH_DENIED && password_sent_) co_return password_rejected();

    auto offered = static_cast<unsigned>(ssh_userauth_list(wire_.session(), nullptr));
    bool has_password = !credential_.password.empty();
    if (key_ != nullptr && !key_tried_ && (offered & SSH_AUTH_METHOD_PUBLICKEY) != 0) {
      key_tried_ = true;
      rc = co_await ask(Method::key);
      if (rc && *rc == SSH_AUTH_DENIED) {
        // A key that libssh itself would not send leaves another text than the device's no.
        std::string_view why = ssh_get_error(wire_.session());
        if (why.find("Access denied") == std::string_view::npos) key_trouble_ = "; " + one_line(why);
      }
    } else if (has_password && !password_sent_ && (offered & SSH_AUTH_METHOD_PASSWORD) != 0) {
      password_sent_ = true;
      rc = co_await ask(Method::password);
    } else if (has_password && !asked_ && (offered & SSH_AUTH_METHOD_INTERACTIVE) != 0) {
      asked_ = true;
      rc = co_await answer_questions();
    } else {
      co_return out_of_methods(offered);
    }
  }
}

}  // namespace

Task<Result<void>> log_in(Wire& wire, const Credential& credential, ssh_key key, Limit limit) {
  Login login(wire, credential, key, limit);
  co_return co_await login.run();
}

}  // namespace nightjar::ssh
