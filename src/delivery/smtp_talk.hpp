// Who said what in one SMTP session, followed line by line: which command the server answered last, and with
// what. Of what the client sends it looks at the first word alone, so no credential is ever in here.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nightjar::delivery {

class SmtpTalk {
 public:
  enum class Step : std::uint8_t { greeting, hello, starttls, login, sender, recipient, data };
  struct Reply {
    int code;
    std::string text;  // all lines of the reply, one blank between them; cut after 200 characters
  };
  struct Recipient {
    std::size_t index;  // in the order of RCPT
    Reply reply;
  };

  void sent(std::string_view line);
  void received(std::string_view line);

  // The last command before QUIT.
  Step step() const { return step_; }
  bool over() const { return over_; }  // QUIT was said
  // To that command; empty while it is awaited.
  const std::optional<Reply>& reply() const { return reply_; }
  const std::vector<Recipient>& turned_away() const { return turned_away_; }

 private:
  Step step_ = Step::greeting;
  bool over_ = false;
  std::string pending_;  // the text of a reply whose last line has not come
  std::optional<Reply> reply_;
  std::size_t recipients_ = 0;
  std::vector<Recipient> turned_away_;
};

}  // namespace nightjar::delivery
