// Whole dialogues of several kinds of device, with what has to come out of them.
#pragma once
#include "dialogue/device.hpp"

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

}  // namespace nightjar::dialogue::test
