// Any bytes, in any segmentation: the terminal renders the same lines, keeps what it holds within bounds, and
// makes no more text than a screen could.
#include <nightjar/dialogue/terminal.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <source_location>
#include <string>
#include <string_view>

namespace {

using nightjar::dialogue::LineSink;
using nightjar::dialogue::Terminal;

void require(bool holds, std::source_location where = std::source_location::current()) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: line %u\n", static_cast<unsigned>(where.line()));
  std::abort();
}

struct Text final : LineSink {
  void line(std::string_view text) override { all.append(text).push_back('\n'); }
  std::string all;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t step = data[0] % 17 + 1;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string_view view{bytes};
  Terminal whole;
  Terminal pieces;
  Text expected;
  Text seen;
  // A 0xff drops the unfinished line at the same place in both.
  for (std::size_t from = 0; from <= view.size();) {
    const std::size_t end = std::min(view.find('\xff', from), view.size());
    const std::string_view part = view.substr(from, end - from);
    whole.feed(part, expected);
    for (std::size_t i = 0; i < part.size(); i += step) pieces.feed(part.substr(i, step), seen);
    require(whole.current() == pieces.current());
    require(whole.renewals() == pieces.renewals());
    require(whole.behind_dropped() == pieces.behind_dropped());
    require(whole.current().size() <= size + 4096);
    whole.drop_current();
    pieces.drop_current();
    require(whole.current().empty());
    from = end + 1;
  }
  require(expected.all == seen.all);
  require(whole.lost() == pieces.lost());
  return 0;
}
