#include <nightjar/rules/cascade.hpp>

namespace nightjar::rules {

std::string_view to_text(Level level) {
  switch (level) {
    case Level::built_in:
      return "built-in";
    case Level::platform:
      return "platform";
    case Level::customer:
      return "customer";
    case Level::device:
      return "device";
  }
  return "built-in";
}

}  // namespace nightjar::rules
