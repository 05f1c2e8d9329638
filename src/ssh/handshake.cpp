#include "ssh/handshake.hpp"

#include "ssh/algorithms.hpp"
#include "ssh/keys.hpp"

#include <array>
#include <cerrno>
#include <sys/socket.h>

namespace nightjar::ssh {
namespace {

// What a server may say before its SSH identification (RFC 4253 allows lines of text). libssh would swallow
// them, and with them the words "Exceeded MaxStartups", so they are taken off the socket before libssh sees
// it.
class Preamble {
 public:
  enum class State { more, identified, closed, error };

  State take(int socket);
  const std::string& text() const { return text_; }
  bool is_endless() const { return text_.size() > most_bytes; }

 private:
  static constexpr std::size_t most_bytes = 16 * 1024;

  // As far as it has come: a lone "S" may become "SSH-".
  static bool may_identify(std::string_view line) {
    constexpr std::string_view mark = "SSH-";
    std::size_t known = std::min(line.size(), mark.size());
    return line.substr(0, known) == mark.substr(0, known);
  }

  std::string text_;
  bool at_line_start_ = true;
};

Preamble::State Preamble::take(int socket) {
  std::array<char, 2048> buffer;
  ssize_t got = ::recv(socket, buffer.data(), buffer.size(), MSG_PEEK | MSG_DONTWAIT);
  if (got == 0) return State::closed;
  if (got < 0) return errno == EAGAIN || errno == EINTR ? State::more : State::error;
  std::string_view peeked(buffer.data(), static_cast<std::size_t>(got));
  std::size_t at = 0;
  bool identified = false;
  while (at < peeked.size() && !identified) {
    if (at_line_start_ && may_identify(peeked.substr(at))) {
      identified = true;
      break;
    }
    std::size_t end = peeked.find('\n', at);
    at_line_start_ = end != std::string_view::npos;
    end = at_line_start_ ? end + 1 : peeked.size();
    text_ += peeked.substr(at, end - at);
    at = end;
  }
  if (at > 0) static_cast<void>(::recv(socket, buffer.data(), at, MSG_DONTWAIT));
  return identified ? State::identified : State::more;
}

std::string quoted(const Preamble& preamble) {
  std::string said = one_line(preamble.text());
  return said.empty() ? std::string() : fmt::format("; it said \"{}\"", said);
}

Failure gone_before_identification(const Wire& wire, const Preamble& preamble, std::string_view how) {
  auto what = sounds_busy(preamble.text()) ? FailureClass::busy : FailureClass::dropped;
  return failure(what, Stage::handshake,
                 fmt::format("{} {} before its SSH identification{}", wire.peer(), how, quoted(preamble)));
}

Task<Result<void>> await_identification(Wire& wire, Preamble& preamble, Limit limit) {
  // The first step of ssh_connect sends our own identification, which some servers wait for, and reads
  // nothing yet. After a failed one there must be no second: libssh would use a descriptor it has closed.
  // What the peer said is still there.
  bool lost = wire.connect_ssh() == SSH_ERROR;
  for (;;) {
    Wire::Wake wake = co_await wire.wait_for_bytes(limit.until);
    if (wake == Wire::Wake::expired) {
      co_return failure(FailureClass::timeout, Stage::handshake,
                        fmt::format("no SSH identification from {} within {}{}", wire.peer(), limit.span(),
                                    quoted(preamble)));
    }
    switch (preamble.take(wire.socket())) {
      case Preamble::State::identified:
        // libssh must have got rid of its own line before it reads: with output waiting, a packet that ends
        // the session (no common algorithm, too many connections) loses its error text to one about the
        // closed socket.
        if (lost || wire.connect_ssh_deaf() == SSH_ERROR) co_return wire.broken(Stage::handshake);
        co_return Result<void>();
      case Preamble::State::closed:
        co_return gone_before_identification(wire, preamble, "closed the connection");
      case Preamble::State::error:
        co_return gone_before_identification(wire, preamble, "reset the connection");
      case Preamble::State::more:
        break;
    }
    if (preamble.is_endless()) {
      co_return failure(FailureClass::negotiation, Stage::handshake,
                        fmt::format("{} is no SSH server{}", wire.peer(), quoted(preamble)));
    }
  }
}

Task<Result<void>> exchange_keys(Wire& wire, Preamble& preamble, Limit identification, Seconds handshake,
                                 MonoTime deadline) {
  Limit limit = identification;
  bool identified = false;
  for (;;) {
    int rc = wire.connect_ssh();
    if (rc == SSH_OK) co_return Result<void>();
    if (rc != SSH_AGAIN || wire.is_broken()) {
      if (identified || ssh_get_serverbanner(wire.session()) != nullptr)
        co_return wire.broken(Stage::handshake);
      co_return gone_before_identification(wire, preamble, "closed the connection");
    }
    if (!identified && ssh_get_serverbanner(wire.session()) != nullptr) {
      identified = true;
      limit = Limit::of(handshake, deadline);
    }
    Wire::Wake wake = co_await wire.wait(limit.until);
    if (wake == Wire::Wake::ready) continue;
    const char* what = identified ? "SSH handshake" : "SSH identification";
    co_return failure(FailureClass::timeout, Stage::handshake,
                      fmt::format("no {} from {} within {}", what, wire.peer(), limit.span()));
  }
}

}  // namespace

Task<Result<HostKey>> shake_hands(Wire& wire, Algorithms set, std::optional<HostKey> pinned, Limits limits,
                                  MonoTime deadline) {
  Offer offered = offer(set, pinned);
  Result<void> started = wire.start_ssh();
  if (!started) co_return started.error();
  if (!apply(offered, wire.session())) {
    co_return failure(FailureClass::internal, Stage::handshake, "libssh refuses our list of algorithms");
  }
  Preamble preamble;
  Limit identification = Limit::of(limits.identification, deadline);
  Result<void> identified = co_await await_identification(wire, preamble, identification);
  if (!identified) co_return identified.error();
  Result<void> exchanged = co_await exchange_keys(wire, preamble, identification, limits.handshake, deadline);
  if (!exchanged) co_return exchanged.error();

  std::optional<ServerKey> seen = server_key(wire.session());
  if (!seen)
    co_return failure(FailureClass::local, Stage::host_key, "the host key cannot be read: out of memory");
  if (pinned && pinned->fingerprint != seen->name.fingerprint) {
    co_return failure(
        FailureClass::host_key, Stage::host_key,
        fmt::format("the host key of {} is not the pinned one: pinned {} {}, shown {} {}", wire.peer(),
                    pinned->type, pinned->fingerprint, seen->name.type, seen->name.fingerprint));
  }
  if (seen->rsa_bits && *seen->rsa_bits < offered.least_rsa_bits) {
    co_return failure(FailureClass::negotiation, Stage::handshake,
                      fmt::format("the RSA host key of {} has {} bits, at least {} are asked for",
                                  wire.peer(), *seen->rsa_bits, offered.least_rsa_bits));
  }
  co_return std::move(seen->name);
}

}  // namespace nightjar::ssh
