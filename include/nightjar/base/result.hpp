// Result<T>: a value or a Failure. Expected failures travel this way; exceptions are bugs or exhausted
// resources.
//   Result<Device> r = ...;  if (!r) return r.error();  use(*r);
#pragma once
#include <nightjar/base/failure.hpp>

#include <boost/system/result.hpp>

#include <stdexcept>

namespace nightjar {

// What value() on a failed Result throws: the caller did not look first, so this is a bug.
class UncheckedFailure : public std::logic_error {
 public:
  explicit UncheckedFailure(const Failure& f);
};

[[noreturn]] void throw_exception_from_error(const Failure&, const boost::source_location&);

template <class T>
using Result = boost::system::result<T, Failure>;

}  // namespace nightjar
