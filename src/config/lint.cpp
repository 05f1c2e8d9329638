// Notes on drivers that can be read but leave something to luck. A file silences "none" notes by saying so:
// noise = [].
#include <nightjar/config/driver.hpp>

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

namespace nightjar::config {
namespace {

using namespace dialogue;

bool types_as_unsupported(const Script& script, std::string_view answer) {
  while (!answer.empty()) {
    const auto line = answer.substr(0, answer.find('\n'));
    answer.remove_prefix(std::min(answer.size(), line.size() + 1));
    for (const ErrorText& error : script.command_errors)
      if (error.failure_class == FailureClass::unsupported && error.text.found_in(line)) return true;
  }
  return false;
}

void look_at_session(const Driver& driver, std::vector<std::string>& notes) {
  const Script& script = driver.script;
  if (script.prompt.matches_all("")) notes.emplace_back("session.prompt: matches an empty line");
  if (script.mode == Mode::exec) {
    if (script.enable) notes.emplace_back("enable: not used in exec mode");
    if (!script.preparation.empty()) notes.emplace_back("session.preparation: not used in exec mode");
    return;
  }
  if (script.prompt.matches_all("--More--"))
    notes.emplace_back("session.prompt: matches the pager text --More--");
  if (script.logout.empty())
    notes.emplace_back("session.logout: none, so each session lingers on the device until it times out");
  if (script.preparation.empty() && script.pagers.empty())
    notes.emplace_back("session.preparation, pager: neither turns paging off nor answers a pager");
  if (script.enable && script.enable->refused.empty())
    notes.emplace_back("enable.refused: none, so a refused enable password ends as a time-out");
}

void look_at_errors(const Driver& driver, std::vector<std::string>& notes) {
  if (driver.script.command_errors.empty()) {
    notes.emplace_back("command_error: none, so an error text may be taken for an answer");
  } else if (driver.unknown_command.empty()) {
    notes.emplace_back(
        "session.unknown_command: not given, so nothing shows that the error texts fit the device");
  } else if (!types_as_unsupported(driver.script, driver.unknown_command)) {
    notes.emplace_back("session.unknown_command: no command_error of class unsupported matches it");
  }
}

void look_at_text(const Driver& driver, std::vector<std::string>& notes) {
  const toml::table file = toml::parse(driver.toml);
  const auto stated = [&](std::string_view key) { return bool{file["text"][key]}; };
  if (!driver.text.end && !stated("endless"))
    notes.emplace_back(
        "text.end: none, so a configuration cut off at a line's end looks whole (endless = true: has none)");
  if (!driver.text.begin && !stated("begin"))
    notes.emplace_back("text.begin: none, so whatever the device prints first is stored as configuration");
  if (driver.text.noise.empty() && driver.text.noise_lines.empty() && !stated("noise"))
    notes.emplace_back("text.noise: none; if nothing differs between two fetches, say noise = []");
  if (driver.text.secrets.empty() && !stated("secrets"))
    notes.emplace_back("text.secrets: none, so the redacted view shows every password");
  if (driver.text.residue.empty() && !stated("residue"))
    notes.emplace_back("text.residue: none, so a pager text inside a configuration goes unnoticed");
  for (const Section& section : driver.script.sections)
    if (section.kind == SectionKind::fact && section.keep.empty())
      notes.push_back(fmt::format("section {}: keep names no lines, so uptimes and counters count as changes",
                                  section.name));
}

}  // namespace

std::vector<std::string> lint(const Driver& driver) {
  std::vector<std::string> notes;
  look_at_session(driver, notes);
  look_at_errors(driver, notes);
  look_at_text(driver, notes);
  return notes;
}

}  // namespace nightjar::config
