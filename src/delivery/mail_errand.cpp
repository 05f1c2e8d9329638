#include "delivery/errand.hpp"
#include "delivery/smtp_talk.hpp"
#include "delivery/text.hpp"

#include <nightjar/delivery/address.hpp>

#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace nightjar::delivery {
namespace {

using Step = SmtpTalk::Step;

bool is_this_machine(const std::string& host) {
  boost::system::error_code no_address;
  const auto address = asio::ip::make_address(host, no_address);
  return no_address ? lower(host) == "localhost" : address.is_loopback();
}

bool asks_for_login(int code) {
  return code == 530 || code == 534 || code == 535 || code == 538;  // RFC 4954, section 6
}

// The sender's and the mail's own refusals are final; what comes before concerns the server's set-up, which
// may be mended.
Verdict verdict_on(Step step, int code) {
  const bool about_mail = step == Step::sender || step == Step::recipient || step == Step::data;
  return about_mail && code >= 500 && !asks_for_login(code) ? Verdict::refused : Verdict::deferred;
}

class MailErrand final : public Errand {
 public:
  MailErrand(MailServer server, Mail mail, std::vector<LeftOut> left_out)
      : Errand({server.host, server.port}, server.timeout, server.ca_file),
        server_(std::move(server)),
        recipients_(mail.to),
        from_(mail.from),
        content_(mime(mail)),
        left_out_(std::move(left_out)) {}

  Answer judge(CURL* easy, CURLcode code, UtcTime) override {
    Answer answer = code == CURLE_OK ? taken() : not_taken(easy, code);
    answer.left_out = std::move(left_out_);
    return answer;
  }

 private:
  void equip_for_protocol(CURL* easy) override {
    const std::string url = fmt::format("{}://{}:{}", server_.security == Security::tls ? "smtps" : "smtp",
                                        peer().host_in_url(), peer().port);
    set(easy, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    set(easy, CURLOPT_URL, url.c_str());
    set(easy, CURLOPT_USE_SSL,
        static_cast<long>(server_.security == Security::none ? CURLUSESSL_NONE : CURLUSESSL_ALL));
    if (!server_.username.empty()) {
      set(easy, CURLOPT_USERNAME, server_.username.c_str());
      set(easy, CURLOPT_PASSWORD, server_.password.reveal().c_str());
    }
    for (const std::string& address : recipients_)
      list_ = appended(std::move(list_), fmt::format("<{}>", address));
    set(easy, CURLOPT_MAIL_FROM, fmt::format("<{}>", from_).c_str());
    set(easy, CURLOPT_MAIL_RCPT, list_.get());
    set(easy, CURLOPT_MAIL_RCPT_ALLLOWFAILS, 1L);
    set(easy, CURLOPT_UPLOAD, 1L);
    set(easy, CURLOPT_READFUNCTION, &MailErrand::read);
    set(easy, CURLOPT_READDATA, static_cast<void*>(this));
    set(easy, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(content_.size()));
    set(easy, CURLOPT_DEBUGFUNCTION, &MailErrand::overhear);
    set(easy, CURLOPT_DEBUGDATA, static_cast<void*>(this));
    set(easy, CURLOPT_VERBOSE, 1L);
    // Replies come by the debug function; here they would go to standard output.
    set(easy, CURLOPT_WRITEFUNCTION, &MailErrand::ignore);
    set(easy, CURLOPT_HEADERFUNCTION, &MailErrand::ignore);
  }

  static std::size_t read(char* to, std::size_t size, std::size_t count, void* self) {
    auto& errand = *static_cast<MailErrand*>(self);
    const std::size_t length = std::min(size * count, errand.content_.size() - errand.read_);
    std::copy_n(errand.content_.data() + errand.read_, length, to);
    errand.read_ += length;
    return length;
  }

  static std::size_t ignore(char*, std::size_t size, std::size_t count, void*) { return size * count; }

  static int overhear(CURL*, curl_infotype type, char* data, std::size_t size, void* self) {
    auto& errand = *static_cast<MailErrand*>(self);
    if (type == CURLINFO_HEADER_IN) errand.talk_.received({data, size});
    if (type != CURLINFO_HEADER_OUT) return 0;
    errand.talk_.sent({data, size});
    // libcurl waits for the answer to QUIT, for minutes if it must; the mail's fate is known before.
    if (errand.talk_.over()) errand.hang_up();
    return 0;
  }

  Answer taken() {
    keep_turned_away();
    const auto& reply = talk_.reply();
    Answer answer{.verdict = Verdict::delivered, .status = reply ? reply->code : 0};
    answer.detail = fmt::format("{} took the mail", peer().to_text());
    if (reply) answer.detail += fmt::format(": {} {}", reply->code, reply->text);
    if (!left_out_.empty())
      answer.detail += fmt::format("; not for {}: {}", left_out_.front().address, left_out_.front().said);
    if (left_out_.size() > 1) answer.detail += fmt::format(" and {} more", left_out_.size() - 1);
    return answer;
  }

  Answer not_taken(CURL* easy, CURLcode code) {
    const auto& reply = talk_.reply();
    if (code == CURLE_USE_SSL_FAILED && !(reply && reply->code >= 400))
      return {.verdict = Verdict::deferred,
              .detail =
                  fmt::format("{} does not offer STARTTLS; nothing was sent in the clear", peer().to_text())};
    if (reply && reply->code >= 400) return refusal(*reply);
    Answer answer = not_reached(easy, code);
    if (code == CURLE_LOGIN_DENIED)
      answer.detail = fmt::format("the login to {} as {} failed: no way to log in that both sides know",
                                  peer().to_text(), one_line(server_.username));
    else if (talk_.step() == Step::data && content_.size() == read_)
      answer.detail += ", after the mail was sent; it may have arrived";
    return answer;
  }

  Answer refusal(const SmtpTalk::Reply& reply) {
    const Step step = talk_.step();
    Answer answer{.verdict = verdict_on(step, reply.code), .status = reply.code};
    std::string what = what_is_refused(step);
    if (step == Step::recipient) {
      // None was taken. One that may be tried again is worth another try.
      for (const auto& away : talk_.turned_away())
        if (verdict_on(step, away.reply.code) == Verdict::deferred) answer.verdict = Verdict::deferred;
      what = recipients_.size() == 1 ? fmt::format("the recipient {}", recipients_.front())
                                     : fmt::format("all {} recipients", recipients_.size());
    }
    const std::string said = fmt::format("{} {}", reply.code, reply.text);
    if (asks_for_login(reply.code) && step != Step::login)
      answer.detail = fmt::format("{} wants a login before it takes mail: {}", peer().to_text(), said);
    else
      answer.detail = fmt::format("{} refuses {}: {}", peer().to_text(), what, said);
    return answer;
  }

  std::string what_is_refused(Step step) const {
    switch (step) {
      case Step::greeting:
      case Step::hello:
        return "the connection";
      case Step::starttls:
        return "to start TLS";
      case Step::login:
        return fmt::format("the login as {}", one_line(server_.username));
      case Step::sender:
        return fmt::format("the sender {}", from_);
      case Step::recipient:
        return "the recipient";
      case Step::data:
        break;
    }
    return "the mail";
  }

  void keep_turned_away() {
    for (const auto& away : talk_.turned_away()) {
      if (away.index >= recipients_.size()) continue;
      left_out_.push_back({recipients_[away.index], verdict_on(Step::recipient, away.reply.code),
                           fmt::format("{} {}", away.reply.code, away.reply.text)});
    }
  }

  MailServer server_;
  std::vector<std::string> recipients_;
  std::string from_;
  std::string content_;
  std::vector<LeftOut> left_out_;
  List list_;
  std::size_t read_ = 0;
  SmtpTalk talk_;
};

}  // namespace

Result<std::unique_ptr<Errand>> mail_errand(MailServer server, Mail mail) {
  if (auto host = check_host(server.host); !host) return std::move(host).error();
  if (server.port == 0)
    return failure(FailureClass::setup, Stage::none,
                   fmt::format("the mail server {} has no port", server.host));
  if (server.security == Security::none && !server.username.empty() && !is_this_machine(server.host))
    return failure(FailureClass::setup, Stage::none,
                   fmt::format("a login to {} in the clear is not made: choose starttls or tls, or no login",
                               Peer{server.host, server.port}.to_text()));
  auto from = mail_address(mail.from);
  if (!from) return std::move(from).error();
  mail.from = std::move(*from);
  std::vector<std::string> good;
  std::vector<LeftOut> left_out;
  for (const std::string& address : mail.to) {
    auto read = mail_address(address);
    if (read)
      good.push_back(std::move(*read));
    else
      left_out.push_back({cut(one_line(address), 100), Verdict::refused, read.error().reason});
  }
  if (good.empty())
    return failure(FailureClass::setup, Stage::none,
                   left_out.empty() ? "the mail has no recipient" : left_out.front().said);
  mail.to = std::move(good);
  return std::unique_ptr<Errand>(
      std::make_unique<MailErrand>(std::move(server), std::move(mail), std::move(left_out)));
}

}  // namespace nightjar::delivery
