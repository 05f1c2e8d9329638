// Texts on disk: zstd frames with a checksum. Exact bytes in, exact bytes out.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace nightjar::store {

std::string compress(std::string_view bytes);
// Nothing when the frame is damaged or does not hold `expected_bytes`.
std::optional<std::string> decompress(std::string_view frame, std::size_t expected_bytes);

// For texts that are often short: one byte that says how, then the text itself up to 1 KiB, else a frame.
std::string pack(std::string_view text);
std::optional<std::string> unpack(std::string_view packed);

}  // namespace nightjar::store
