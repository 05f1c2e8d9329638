#include "delivery/guard.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <netinet/in.h>

namespace nightjar::delivery {
namespace {

using Bytes6 = std::array<std::uint8_t, 16>;

constexpr std::string_view metadata = "an address of a cloud's metadata service";
constexpr std::string_view link_local = "a link-local address";
constexpr std::string_view unspecified = "an unspecified address";
constexpr std::string_view multicast = "a multicast address";

std::optional<std::string_view> kind_of_v4(std::uint32_t address) {
  const std::uint32_t first = address >> 24;
  if (address == 0xA9FEA9FE || address == 0x646464C8) return metadata;  // 169.254.169.254, 100.100.100.200
  if (address >> 16 == 0xA9FE) return link_local;
  if (first == 0) return unspecified;
  if (first >= 224 && first < 240) return multicast;
  if (address == 0xFFFFFFFF) return "the broadcast address";
  return std::nullopt;
}

std::optional<std::string_view> kind_of_v6(const Bytes6& bytes) {
  constexpr Bytes6 aws{0xFD, 0x00, 0x0E, 0xC2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54};
  constexpr std::array<std::uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  constexpr std::array<std::uint8_t, 12> nat64{0x00, 0x64, 0xFF, 0x9B};
  if (std::equal(mapped.begin(), mapped.end(), bytes.begin()) ||
      std::equal(nat64.begin(), nat64.end(), bytes.begin()))
    return kind_of_v4(static_cast<std::uint32_t>(bytes[12]) << 24 |
                      static_cast<std::uint32_t>(bytes[13]) << 16 |
                      static_cast<std::uint32_t>(bytes[14]) << 8 | bytes[15]);
  if (bytes == Bytes6{}) return unspecified;
  if (bytes == aws) return metadata;
  if (bytes[0] == 0xFE && (bytes[1] & 0xC0) == 0x80) return link_local;
  if (bytes[0] == 0xFF) return multicast;
  return std::nullopt;
}

}  // namespace

std::optional<std::string_view> forbidden_kind(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    return kind_of_v4(ntohl(v4.sin_addr.s_addr));
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address, sizeof v6);
    Bytes6 bytes;
    std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
    return kind_of_v6(bytes);
  }
  return "no internet address";
}

}  // namespace nightjar::delivery
