// One delivery on its way, and what both ways of carrying it share.
#pragma once
#include "delivery/errand.hpp"

#include <functional>
#include <memory>
#include <string_view>

namespace nightjar::delivery {

// The order matters: the handle goes first, its callbacks are the errand's.
struct Delivery {
  std::unique_ptr<Errand> errand;
  Easy easy;
  std::function<void(Answer)> resume;
};

inline constexpr std::string_view courier_stops = "the courier stops";

// For the calling thread, which runs libcurl: TLS writes to a socket that the server has closed, and the
// answer to that is to be an error, not a signal.
void keep_out_sigpipe();

}  // namespace nightjar::delivery
