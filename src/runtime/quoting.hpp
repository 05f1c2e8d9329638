// How a value that anybody may have written stands in a line of the log, without a way out of its place.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace nightjar::runtime {

// At most `bytes` of the text, cut between characters.
std::string_view head_of(std::string_view text, std::size_t bytes);

// Bare where that is unmistakable, else in double quotes with \" \\ \n \t \r, \xNN for other control bytes
// and for what is not UTF-8, \u{NNNN} for characters that steer a terminal or break or reorder a line.
void append_text(std::string& line, std::string_view value, std::size_t longest);

// A JSON string, quotes included; what is not UTF-8 becomes U+FFFD.
void append_json(std::string& line, std::string_view value, std::size_t longest);

}  // namespace nightjar::runtime
