// Where messages go, as it is typed and as it is shown.
#pragma once
#include <nightjar/base/result.hpp>

#include <string>
#include <string_view>

namespace nightjar::cli {

// One or more mail addresses with commas between, each looked at; each once, with nothing but commas between.
Result<std::string> mail_addresses(std::string_view typed);

// For people and scripts: of a URL only scheme, host and port, as the rest is often a secret; mail addresses
// as they are.
std::string shown_address(std::string_view address);

}  // namespace nightjar::cli
