// What a name, an address and a tag may be. Each check answers with a failure of class setup that quotes the
// offender.
#pragma once
#include <nightjar/base/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace nightjar::store {

// 1 to 100 bytes of UTF-8, no control characters, no '/'. `what` is the noun of the message: customer,
// device, credential, tag.
Result<void> check_name(std::string_view what, std::string_view name);
// Not empty, neither blanks nor control characters.
Result<void> check_address(std::string_view address);

// ": did you mean "acme"?" for the nearest of `names`, "" when none is near.
std::string suggestion(std::string_view typed, const std::vector<std::string>& names);

}  // namespace nightjar::store
