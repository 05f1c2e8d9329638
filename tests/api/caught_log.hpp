// The program's log, caught in a string for the life of this object.
#pragma once
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <sstream>
#include <string>

namespace nightjar::api::testing {

class CaughtLog {
 public:
  CaughtLog() {
    spdlog::set_default_logger(
        std::make_shared<spdlog::logger>("caught", std::make_shared<spdlog::sinks::ostream_sink_mt>(text_)));
  }
  ~CaughtLog() { spdlog::set_default_logger(before_); }
  CaughtLog(const CaughtLog&) = delete;
  CaughtLog& operator=(const CaughtLog&) = delete;

  // Read when the thread that logs is over.
  std::string text() const { return text_.str(); }

 private:
  std::shared_ptr<spdlog::logger> before_ = spdlog::default_logger();
  std::ostringstream text_;
};

}  // namespace nightjar::api::testing
