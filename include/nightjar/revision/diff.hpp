// Line differences between two texts (Myers, linear space), as a unified diff. Bytes, not characters.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace nightjar::revision {

// "" when the texts are equal. `context` lines around each change; labels go into the --- and +++ lines.
// A missing newline at the end is said the way diff says it.
std::string unified_diff(std::string_view before, std::string_view after, std::string_view before_label,
                         std::string_view after_label, std::size_t context = 3);

}  // namespace nightjar::revision
