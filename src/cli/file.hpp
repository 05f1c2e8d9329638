// Whole files named on the command line.
#pragma once
#include <nightjar/base/result.hpp>

#include <cstddef>
#include <string>

namespace nightjar::cli {

// "-" is standard input. Unreadable, a folder, or larger than `most` bytes: class setup, naming the file.
Result<std::string> read_file(const std::string& name, std::size_t most);

}  // namespace nightjar::cli
