// Where a message may go: whether a text is a mail address or a webhook's URL that can be used. It looks at
// the text alone; whether anybody is there is seen when something is sent. A complaint names what is wrong in
// words for the person who typed it, and repeats no part of a URL but its host: the rest is often a secret.
#pragma once
#include <nightjar/base/result.hpp>

#include <string>
#include <string_view>

namespace nightjar::delivery {

// local@domain in ASCII as RFC 5321 writes it without quotes: local part at most 64 bytes, domain at most
// 253, 254 in all. Returns it without the blanks around it and with the domain in lower case. Class setup:
// "the mail address a@@b has two @".
Result<std::string> mail_address(std::string_view typed);

// http or https, a host, no user or password, at most 2048 bytes of printable ASCII. Returns it without the
// blanks around it. Class setup otherwise.
Result<std::string> webhook_url(std::string_view typed);

}  // namespace nightjar::delivery
