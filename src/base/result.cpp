#include <nightjar/base/result.hpp>

namespace nightjar {

UncheckedFailure::UncheckedFailure(const Failure& f)
    : std::logic_error("value() of a failure: " + f.reason) {}

void throw_exception_from_error(const Failure& f, const boost::source_location&) {
  throw UncheckedFailure(f);
}

}  // namespace nightjar
