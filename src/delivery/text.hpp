// Text from anywhere made fit for one line, a mail or JSON: valid UTF-8 without control characters.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace nightjar::delivery {

inline constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

// Bytes of the well-formed UTF-8 sequence (Unicode 15, table 3-7) that `text` begins with; 0: it begins with
// none.
std::size_t sequence_length(std::string_view text);

// Each byte that is part of no sequence becomes U+FFFD.
std::string valid_utf8(std::string_view text);

// Valid, and control characters (C0, DEL, C1) and Unicode's line and paragraph separators are spaces.
std::string one_line(std::string_view text);

// The first `most` characters (code points) of valid UTF-8; when it is longer, the last of them is an
// ellipsis.
std::string cut(std::string_view text, std::size_t most);

std::string_view trimmed(std::string_view text);  // without blanks and tabs at its ends
std::string lower(std::string_view ascii);

}  // namespace nightjar::delivery
