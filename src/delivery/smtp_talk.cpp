#include "delivery/smtp_talk.hpp"

#include "delivery/text.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace nightjar::delivery {
namespace {

constexpr std::size_t most_characters = 200;
constexpr std::size_t most_bytes = 4 * most_characters;

std::string command_of(std::string_view line) {
  return lower(line.substr(0, line.find_first_of(" \r\n:")));
}

std::optional<SmtpTalk::Step> step_of(std::string_view word) {
  using Step = SmtpTalk::Step;
  if (word == "ehlo" || word == "helo") return Step::hello;
  if (word == "starttls") return Step::starttls;
  if (word == "auth") return Step::login;
  if (word == "mail") return Step::sender;
  if (word == "rcpt") return Step::recipient;
  if (word == "data") return Step::data;
  return std::nullopt;
}

}  // namespace

void SmtpTalk::sent(std::string_view line) {
  // In a login the client answers challenges in base64, which may look like anything.
  if (step_ == Step::login && reply_ && reply_->code == 334) {
    reply_.reset();
    return;
  }
  const std::string command = command_of(line);
  if (command == "quit") over_ = true;
  const auto next = step_of(command);
  if (!next || over_) return;
  step_ = *next;
  reply_.reset();
  if (step_ == Step::recipient) ++recipients_;
}

void SmtpTalk::received(std::string_view line) {
  if (over_) return;  // the farewell says nothing about the mail
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  int code = 0;
  const auto [end, error] =
      std::from_chars(line.data(), line.data() + std::min<std::size_t>(line.size(), 3), code);
  if (error != std::errc{} || end != line.data() + 3 || code < 100) return;
  line.remove_prefix(3);
  const bool last = line.empty() || line.front() != '-';
  if (!line.empty()) line.remove_prefix(1);
  if (!pending_.empty()) pending_ += ' ';
  if (pending_.size() < most_bytes) pending_ += line.substr(0, most_bytes);
  if (!last) return;
  reply_ = Reply{code, cut(trimmed(one_line(std::exchange(pending_, {}))), most_characters)};
  if (step_ == Step::recipient && code >= 400) turned_away_.push_back({recipients_ - 1, *reply_});
}

}  // namespace nightjar::delivery
