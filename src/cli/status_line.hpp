// One line on a terminal that says where a run stands, redrawn in place a few times a second and gone when it
// ends.
#pragma once
#include <nightjar/base/time.hpp>
#include <nightjar/orchestrator/runner.hpp>
#include <nightjar/runtime/asio.hpp>

#include <functional>
#include <string>

namespace nightjar::cli {

// `12 done, 3 failed, 5 running, 14 waiting (next try 02:05:10 UTC, in 12 s), 500 pending`
std::string status_text(const orchestrator::Progress& progress, UtcTime now);

class StatusLine {
 public:
  // `text` is asked at each drawing. Draws nothing until start().
  StatusLine(asio::io_context& io, std::function<std::string()> text);
  void start();
  void stop();
  void clear();  // before anything else is written; the next drawing brings it back

 private:
  void draw();
  asio::steady_timer timer_;
  std::function<std::string()> text_;
  bool running_ = false, drawn_ = false;
};

}  // namespace nightjar::cli
