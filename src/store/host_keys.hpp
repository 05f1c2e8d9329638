// Pinned host keys as other transactions of the store write them.
#pragma once
#include "store/connection.hpp"

#include <nightjar/store/inventory.hpp>

namespace nightjar::store {

// Replaces the device's pinned key; throws DatabaseFault.
void write_host_key(Database::Connection& connection, const PinnedHostKey& key);

}  // namespace nightjar::store
