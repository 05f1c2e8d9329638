#include "cli/status_line.hpp"

#include "cli/text.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

namespace nightjar::cli {
namespace {

constexpr Milliseconds redraw_every{250};

std::size_t terminal_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

std::string status_text(const orchestrator::Progress& progress, UtcTime now) {
  std::string text =
      fmt::format("{} done, {} failed, {} running, {} waiting", grouped(progress.done),
                  grouped(progress.failed), grouped(progress.running), grouped(progress.waiting));
  if (progress.waiting > 0 && progress.next_attempt_at)
    text += fmt::format(" (next try {} UTC, in {})", table_time(*progress.next_attempt_at).substr(11),
                        to_span(std::chrono::ceil<Seconds>(*progress.next_attempt_at - now)));
  if (progress.pending > 0) text += fmt::format(", {} pending", grouped(progress.pending));
  return text;
}

StatusLine::StatusLine(asio::io_context& io, std::function<std::string()> text)
    : timer_(io), text_(std::move(text)) {}

void StatusLine::start() {
  running_ = true;
  draw();
}

void StatusLine::stop() {
  running_ = false;
  timer_.cancel();
  clear();
}

void StatusLine::clear() {
  if (!drawn_) return;
  drawn_ = false;
  std::fputs("\r\x1b[K", stderr);
}

void StatusLine::draw() {
  if (!running_) return;
  // A line that wraps cannot be redrawn in place. The text is plain ASCII: bytes are columns.
  fmt::print(stderr, "\r\x1b[K{}", text_().substr(0, terminal_columns() - 1));
  drawn_ = true;
  timer_.expires_after(redraw_every);
  timer_.async_wait([this](boost::system::error_code error) {
    if (!error) draw();
  });
}

}  // namespace nightjar::cli
