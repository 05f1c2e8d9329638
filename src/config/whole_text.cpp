#include <nightjar/config/driver.hpp>

namespace nightjar::config {

std::string whole_text(const Driver& driver, const std::vector<dialogue::SectionText>& sections) {
  std::vector<revision::Part> parts;
  for (const auto& answered : sections) {
    const dialogue::Section& section = driver.script.sections[answered.section];
    parts.push_back({section.name, section.kind == dialogue::SectionKind::fact, answered.text});
  }
  return revision::compose(parts, driver.text);
}

}  // namespace nightjar::config
