// Drivers as data: TOML files in config/drivers, embedded in the binary, overridable by files of the same
// name in a folder of the user. Reading one either gives a whole driver or says file, line and key of what is
// wrong.
#pragma once
#include <nightjar/base/result.hpp>
#include <nightjar/dialogue/engine.hpp>
#include <nightjar/dialogue/script.hpp>
#include <nightjar/revision/text.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nightjar::config {

struct Driver {
  std::string name;                // "ios": also the file's name
  std::string title;               // "Cisco IOS and IOS XE"
  std::string status;              // "replayed" or "documented"
  bool legacy_algorithms = false;  // ssh may fall back to the legacy set after "no match"
  dialogue::Script script;
  revision::TextRules text;     // begin/end/framing/least of its config section, noise, secrets
  std::string unknown_command;  // what the device says to a command it does not know; for replays and lint
  std::string source;           // "built-in" or the file's path
  std::string toml;             // as read
};

// `origin` is what errors call the text: a path, or "built-in ios". Errors are class setup: "ios.toml:12:
// enable.comand: unknown key; did you mean command?". Every pattern is compiled, every key is known.
Result<Driver> parse_driver(std::string_view toml, std::string_view name, std::string_view origin);

// Notes on a driver that is valid but careless (no end mark, no error texts, no noise): `driver check`.
std::vector<std::string> lint(const Driver&);

// From the answers of a device to the one text that is kept: facts above, the configuration below.
std::string whole_text(const Driver& driver, const std::vector<dialogue::SectionText>& sections);

class Drivers {
 public:
  // The embedded ones, then every *.toml of `folder` (empty: none) over them.
  static Result<Drivers> load(const std::string& folder);
  const Driver* find(std::string_view name) const;   // valid as long as this object is
  std::vector<const Driver*> all() const;            // by name
  std::string suggest(std::string_view name) const;  // nearest known name, "" when none is near

 private:
  std::map<std::string, std::shared_ptr<const Driver>, std::less<>> by_name_;
};

}  // namespace nightjar::config
