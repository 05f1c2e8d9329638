// The text of a backup: put together from what the device answered, judged whole or not, and compared without
// its noise. Bytes in, bytes out: nothing here assumes an encoding. It never changes what is stored to make
// it compare.
#pragma once
#include <nightjar/base/failure.hpp>
#include <nightjar/base/pattern.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nightjar::revision {

// What a driver says about its texts. Every pattern is looked for in one line at a time, without its line end
// and trailing blanks: anchor it (`^end$`) where the whole line is meant. Only secrets that open with (?s)
// see the whole text at once.
struct TextRules {
  std::string comment = "! ";    // in front of each line of a fact
  std::optional<Pattern> begin;  // first line that belongs to the configuration; all before it is dropped
  std::optional<Pattern> end;    // the last non-blank line must match
  Patterns framing;              // lines that are the command's wrapping, not configuration: dropped whole
  std::size_t least_bytes = 32;  // a shorter configuration (comments and blank lines left out) is not one
  Patterns noise;                // inside a line; group 1 (or the match) is ignored when comparing
  Patterns noise_lines;          // lines ignored whole when comparing
  Patterns secrets;              // group 1 (or the match) is replaced by <secret> in redacted views
  Patterns residue;  // text that no configuration holds (pager, error): it makes a text incomplete
};

struct Part {
  std::string name;   // section name, shown as "! version: ..."
  bool fact = false;  // stored as comment lines above the configuration
  std::string text;
};

// Facts first, as `comment + name + ": " + line` (without blank lines around and blanks behind them), then
// the configuration with framing and everything before `begin` cut, and runs of blank lines at its end
// reduced to none; where no line matches `begin`, none is cut and verify says so. Only \n ends lines. With no
// facts the result is the configuration alone.
std::string compose(const std::vector<Part>& parts, const TextRules& rules);

struct LastGood {
  std::size_t bytes = 0;
};
// Smaller than this share of the last good copy is `incomplete` (far smaller than the last good copy).
inline constexpr double least_share_of_last_good = 0.5;

// Nothing when the text is whole; else class incomplete, stage verify, with figures in the reason:
// `end mark "end" missing: 18432 bytes, last good copy has 61204`.
std::optional<Failure> verify(std::string_view text, const TextRules& rules,
                              std::optional<LastGood> last_good);

using Digest = std::array<std::uint8_t, 32>;  // SHA-256
Digest digest(std::string_view bytes);
// BLAKE2b-256, several times as fast: for comparing, never shown.
Digest fingerprint(std::string_view bytes);
std::string to_hex(const Digest&);

// The text with its noise blanked: equal for two fetches of an unchanged device.
std::string comparable(std::string_view text, const TextRules& rules);

std::string redact(std::string_view text, const TextRules& rules);

std::size_t count_lines(std::string_view text);

}  // namespace nightjar::revision
