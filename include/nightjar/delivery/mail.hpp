// A mail and its form on the wire (RFC 5322 and MIME). Whatever bytes a device's name or a customer's text is
// made of, what comes out is ASCII in lines of at most 998 bytes, and none of it becomes a header. It knows
// no template and sends nothing.
#pragma once
#include <nightjar/base/time.hpp>

#include <string>
#include <vector>

namespace nightjar::delivery {

struct Mail {
  std::string from;
  std::vector<std::string> to;  // each reader sees the others
  std::string subject;          // one line; control characters become spaces
  std::string text;             // lines end in LF or CRLF
  std::string html{};           // empty: none
  // As left@right, without < >: the same for each try of one message, so that a second copy is known as one.
  std::string message_id;
  std::string in_reply_to{};  // the message_id of the mail this one follows; empty: none
  UtcTime date;
};

// The whole mail: headers, empty line, text alone or text and HTML as alternatives, with CRLF after each
// line. Bytes that are not UTF-8 become U+FFFD, and so do control characters in the bodies other than tab and
// line end. The same mail gives the same bytes. Marked Auto-Submitted (RFC 3834): no out-of-office answers.
std::string mime(const Mail& mail);

}  // namespace nightjar::delivery
