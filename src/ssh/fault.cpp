// What went wrong on the wire, in our classes and words. libssh has one error code and a text, so its text is
// read here, at the raise site, and nowhere else.
#include "ssh/wire.hpp"

#include <boost/asio/error.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace nightjar::ssh {
namespace {

std::string lower(std::string_view text) {
  std::string low(text);
  for (char& c : low) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return low;
}

std::string_view after(std::string_view text, std::string_view mark) {
  auto at = text.find(mark);
  return at == std::string_view::npos ? std::string_view{} : text.substr(at + mark.size());
}

// RFC 4253 section 11.1.
enum DisconnectCode : unsigned {
  key_exchange_failed = 3,
  too_many_connections = 12,
  no_more_auth_methods = 14,
};

Failure disconnected(std::string_view peer, Stage stage, std::string_view code_and_text) {
  unsigned code = 0;
  auto colon = code_and_text.find(':');
  std::from_chars(code_and_text.data(), code_and_text.data() + std::min(colon, code_and_text.size()), code);
  std::string said =
      one_line(colon == std::string_view::npos ? code_and_text : code_and_text.substr(colon + 1));
  std::string reason = fmt::format("{} disconnected: {} (code {})", peer, said, code);
  if (code == no_more_auth_methods || lower(said).find("authentication failures") != std::string::npos) {
    return failure(FailureClass::auth, stage, std::move(reason));
  }
  if (code == too_many_connections || sounds_busy(said)) {
    return failure(FailureClass::busy, stage, std::move(reason));
  }
  if (code == key_exchange_failed && stage == Stage::handshake) {
    return failure(FailureClass::negotiation, stage, std::move(reason));
  }
  return failure(FailureClass::dropped, stage, std::move(reason));
}

// "kex error : no match for method kex algos: server [a,b], client [c,d]"
Failure no_common_algorithm(std::string_view peer, std::string_view complaint) {
  std::string_view rest = after(complaint, "no match for method ");
  std::string_view method = rest.substr(0, rest.find(": server ["));
  std::string_view theirs = after(rest, ": server [");
  std::string_view ours = after(theirs, "], client [");
  theirs = theirs.substr(0, theirs.find("], client ["));
  ours = ours.substr(0, ours.rfind(']'));
  return failure(FailureClass::negotiation, Stage::handshake,
                 fmt::format("no common {} with {}: it offers {}; we offer {}", method, peer,
                             one_line(theirs, 1024), one_line(ours, 1024)));
}

}  // namespace

std::string one_line(std::string_view text, std::size_t most) {
  std::string line;
  for (char c : text.substr(0, most)) {
    bool plain = static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
    if (plain && c != ' ')
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

bool sounds_busy(std::string_view text) {
  static constexpr std::array<std::string_view, 8> words{
      "maxstartups", "no free", "too many", "busy", "try again", "in use", "exceeded", "maximum number"};
  std::string low = lower(text);
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return low.find(word) != std::string::npos; });
}

Failure resolve_failure(std::string_view name, const boost::system::error_code& why) {
  if (why == asio::error::host_not_found || why == asio::error::no_data) {
    return failure(FailureClass::setup, Stage::resolve, fmt::format("no host is named {}", name));
  }
  if (why == asio::error::host_not_found_try_again) {
    return failure(FailureClass::unreachable, Stage::resolve, fmt::format("DNS gave no answer for {}", name));
  }
  return failure(FailureClass::unreachable, Stage::resolve,
                 fmt::format("{} could not be looked up: {}", name, why.message()));
}

Failure connect_failure(std::string_view peer, const boost::system::error_code& why) {
  namespace errc = boost::system::errc;
  auto unreachable = [&](std::string reason) {
    return failure(FailureClass::unreachable, Stage::connect, std::move(reason));
  };
  switch (why.value()) {
    case errc::connection_refused:
      return unreachable(fmt::format("connection refused by {}", peer));
    case errc::network_unreachable:
    case errc::host_unreachable:
    case errc::network_down:
      return unreachable(fmt::format("no route to {}", peer));
    case errc::timed_out:
      return unreachable(fmt::format("no answer from {}", peer));
    case errc::connection_reset:
      // A refusal comes as connection_refused: this one had been accepted, and was reset before we looked.
      return failure(FailureClass::dropped, Stage::handshake, fmt::format("{} reset the connection", peer));
    case errc::too_many_files_open:
    case errc::too_many_files_open_in_system:
      return failure(FailureClass::local, Stage::connect, "out of file descriptors");
    case errc::no_buffer_space:
    case errc::not_enough_memory:
    case errc::address_not_available:
    case errc::address_in_use:
      return failure(FailureClass::local, Stage::connect,
                     fmt::format("no connection to {} can be opened here: {}", peer, why.message()));
    default:
      return unreachable(fmt::format("no connection to {}: {}", peer, why.message()));
  }
}

Failure session_failure(std::string_view peer, Stage stage, std::string_view complaint) {
  if (auto said = after(complaint, "SSH_MSG_DISCONNECT: "); !said.empty())
    return disconnected(peer, stage, said);
  if (complaint.find("no match for method ") != std::string_view::npos)
    return no_common_algorithm(peer, complaint);
  if (auto trouble = after(complaint, "Socket error: "); !trouble.empty()) {
    if (trouble == "disconnected" || trouble == "Success") {
      return failure(FailureClass::dropped, stage, fmt::format("{} closed the connection", peer));
    }
    return failure(FailureClass::dropped, stage,
                   fmt::format("connection to {} lost: {}", peer, one_line(trouble)));
  }
  if (auto banner = after(complaint, "No version of SSH protocol usable"); !banner.empty()) {
    return failure(FailureClass::negotiation, stage,
                   fmt::format("{} does not speak SSH 2{}", peer, one_line(banner)));
  }
  if (auto bits = after(complaint, "Invalid dh group parameter p: "); !bits.empty()) {
    return failure(FailureClass::negotiation, stage,
                   fmt::format("{} proposes a Diffie-Hellman group of {} bits, too small or too large", peer,
                               bits.substr(0, bits.find(' '))));
  }
  if (complaint.find("verify server hostkey signature") != std::string_view::npos) {
    return failure(
        FailureClass::negotiation, stage,
        fmt::format(
            "the host key of {} does not prove itself: a broken signature, or an RSA key under 768 bits",
            peer));
  }
  return failure(
      FailureClass::dropped, stage,
      fmt::format("SSH error with {}: {}", peer, complaint.empty() ? "none given" : one_line(complaint)));
}

}  // namespace nightjar::ssh
