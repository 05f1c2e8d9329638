// Whole dialogues of several kinds of device, with what has to come out of them.
#pragma once
#include "dialogue/device.hpp"

#include <ostream>
#include <string>
#include <vector>

namespace nightjar::dialogue::test {

struct Recording {
  std::string name;
  Script script;
  Device device;
  std::vector<std::string> texts;  // of the sections, in order
};

std::vector<Recording> recordings();

// Names the parameter of a test.
inline void PrintTo(const Recording& recording, std::ostream* out) {
  *out << recording.name;
}

}  // namespace nightjar::dialogue::test
