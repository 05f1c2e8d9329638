#include "delivery/retry_after.hpp"

#include "delivery/text.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <charconv>
#include <string>

namespace nightjar::delivery {

std::optional<Seconds> retry_after(std::string_view value, UtcTime now) {
  constexpr Seconds longest = std::chrono::hours{24};
  const std::string text(trimmed(value));
  if (text.empty()) return std::nullopt;
  if (std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    long long seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error == std::errc::result_out_of_range) return longest;
    return Seconds{std::min<long long>(seconds, longest.count())};
  }
  const time_t date = curl_getdate(text.c_str(), nullptr);
  if (date < 0) return std::nullopt;
  const auto wait = std::chrono::ceil<Seconds>(UtcTime{Seconds{date}} - now);
  return std::clamp(wait, Seconds{0}, longest);
}

}  // namespace nightjar::delivery
