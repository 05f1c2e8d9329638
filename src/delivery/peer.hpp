// The server at the other end, as it is named to people.
#pragma once
#include <nightjar/base/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace nightjar::delivery {

struct Peer {
  std::string host;  // a name, or an address without brackets
  std::uint16_t port = 0;

  std::string host_in_url() const;  // IPv6 in brackets
  std::string to_text() const;      // host:port
};

struct Url {
  std::string scheme;
  Peer peer;
};

// The URL as libcurl reads it, which is how it is used. Class setup as webhook_url() has it.
Result<Url> read_url(std::string_view url);

// Letters, digits, dots, hyphens and underscores, or an address; class setup otherwise.
Result<void> check_host(std::string_view host);

}  // namespace nightjar::delivery
