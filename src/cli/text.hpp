// Words and columns on a terminal. Nothing that came from a device or a file reaches the terminal raw:
// control characters are made visible, bytes that are not UTF-8 are replaced. Nothing is ever cut.
#pragma once
#include <nightjar/base/time.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace nightjar::cli {

// Control characters as \n, \t, \x1b; bytes that are no UTF-8 as U+FFFD.
std::string printable(std::string_view text);

// How many terminal columns a printable text takes: wide characters count two, combining ones none.
std::size_t columns(std::string_view text);

// 2026-11-30 02:00:05, for tables whose heading says UTC.
std::string table_time(UtcTime time);

// 61,204
std::string grouped(std::size_t number);

// `1 device`, `2 devices`.
std::string counted(std::size_t number, std::string_view noun);

// `; did you mean "acme"?` or "".
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace nightjar::cli
