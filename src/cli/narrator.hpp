// Tells what happens to series while they are driven: JSON Lines for scripts, a line an event and a closing
// summary for people.
#pragma once
#include "cli/output.hpp"

#include <nightjar/orchestrator/runner.hpp>
#include <nightjar/store/database.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nightjar::cli {

Json to_json(const orchestrator::Event& event);
Json to_json(const orchestrator::Summary& summary);

class Narrator {
 public:
  // `book` is a connection of its own to look decisions up in ("attempt 2 of 3"). `before_line` clears what a
  // status line left.
  Narrator(const Output& out, store::Database& book, std::function<void()> before_line);

  void tell(const orchestrator::Event& event);
  void sum_up(const orchestrator::Summary& summary);

 private:
  struct Ending {
    std::string device, words;
  };
  void tell_people(const orchestrator::Event& event);
  std::string failed_attempt(const orchestrator::Event& event);
  bool recovered(const orchestrator::Event& event);
  void line(const std::string& text);

  const Output& out_;
  store::Database& book_;
  std::function<void()> before_line_;
  std::vector<Ending> recovered_, failed_;
};

}  // namespace nightjar::cli
