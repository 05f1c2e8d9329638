// The phrases that the text and the document of an alert share. Private to `alerting`.
#pragma once
#include <nightjar/alerting/alert.hpp>

#include <string>
#include <vector>

namespace nightjar::alerting {

// Of more items than this only one line each is shown; of more than `most_listed` the rest is counted.
inline constexpr std::size_t most_detailed = 20;
inline constexpr std::size_t most_listed = 500;

std::string clock_text(const Alert&, UtcTime);  // 02:20:01
std::string date_text(const Alert&, UtcTime);   // 30 Nov 02:20

std::string tries(const Item&);                    // "3 attempts, exhausted, over ssh"
std::string good_copy(const Alert&, const Item&);  // "last good copy 1 d 5 h old", "never backed up"
std::string rule_line(const Item&);  // "attempts 5 (customer acme), delay_seconds 300 (built-in), ..."
std::string attempt_line(const Alert&, const Attempt&);

}  // namespace nightjar::alerting
