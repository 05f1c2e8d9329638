#include "backup/whole_text.hpp"

namespace nightjar::backup {
namespace {

std::string kept_lines(const dialogue::Section& section, const std::string& text) {
  if (section.keep.empty()) return text;
  std::string kept;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line{text.data() + at, end - at};
    const auto wanted = [&](const Pattern& pattern) { return pattern.found_in(line); };
    if (std::any_of(section.keep.begin(), section.keep.end(), wanted)) (kept += line) += '\n';
    at = end + 1;
  }
  return kept;
}

}  // namespace

std::string whole_text(const config::Driver& driver, const std::vector<dialogue::SectionText>& sections) {
  std::vector<revision::Part> parts;
  for (const auto& answered : sections) {
    const dialogue::Section& section = driver.script.sections[answered.section];
    const bool fact = section.kind == dialogue::SectionKind::fact;
    parts.push_back({section.name, fact, fact ? kept_lines(section, answered.text) : answered.text});
  }
  return revision::compose(parts, driver.text);
}

}  // namespace nightjar::backup
