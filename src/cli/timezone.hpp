// Time zones as the system's tzdata has them.
#pragma once
#include <nightjar/base/result.hpp>

#include <string_view>

namespace nightjar::cli {

// Class setup when `name` is no IANA zone of this system. Where no tzdata is installed only the form is
// looked at.
Result<void> check_timezone(std::string_view name);

}  // namespace nightjar::cli
