// Strong row ids: a device's id cannot be passed where a customer's is meant. 0 is "not stored yet".
#pragma once
#include <compare>
#include <cstdint>
#include <functional>

namespace nightjar {

template <class Tag>
struct Id {
  std::int64_t value = 0;
  auto operator<=>(const Id&) const = default;
  explicit operator bool() const { return value != 0; }
};

using CustomerId = Id<struct CustomerTag>;
using DeviceId = Id<struct DeviceTag>;
using CredentialId = Id<struct CredentialTag>;
using SeriesId = Id<struct SeriesTag>;
using AttemptId = Id<struct AttemptTag>;
using RevisionId = Id<struct RevisionTag>;
using RunId = Id<struct RunTag>;
using DestinationId = Id<struct DestinationTag>;
using MessageId = Id<struct MessageTag>;

}  // namespace nightjar

template <class Tag>
struct std::hash<nightjar::Id<Tag>> {
  std::size_t operator()(nightjar::Id<Tag> id) const noexcept { return std::hash<std::int64_t>{}(id.value); }
};
