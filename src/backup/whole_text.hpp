// From the answers of a device to the one text that is kept: facts cut to the lines their driver keeps, the
// configuration below.
#pragma once
#include <nightjar/config/driver.hpp>
#include <nightjar/dialogue/engine.hpp>

#include <string>
#include <vector>

namespace nightjar::backup {

std::string whole_text(const config::Driver& driver, const std::vector<dialogue::SectionText>& sections);

}  // namespace nightjar::backup
