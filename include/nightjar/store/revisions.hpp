// The revisions of a device: exact bytes, compressed, one row per distinct text. "Distinct" leaves noise out:
// a text that differs from a kept one in noise alone adds no revision, only a newer last_seen.
#pragma once
#include <nightjar/base/id.hpp>
#include <nightjar/base/result.hpp>
#include <nightjar/base/time.hpp>
#include <nightjar/store/database.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace nightjar::store {

struct RevisionRow {
  RevisionId id;
  UtcTime first_seen_at{}, last_seen_at{};
  std::string sha256;  // hex, of the exact bytes
  std::size_t bytes = 0, lines = 0;
};

class Revisions {
 public:
  explicit Revisions(Database& db) : db_(db) {}

  Result<std::vector<RevisionRow>> history(DeviceId);   // newest last_seen first
  Result<std::optional<RevisionRow>> newest(DeviceId);  // the last good copy
  Result<RevisionRow> find(DeviceId, RevisionId);       // unknown: class setup
  Result<std::string> text(RevisionId);                 // exact bytes; a damaged one is class local

 private:
  Database& db_;
};

}  // namespace nightjar::store
