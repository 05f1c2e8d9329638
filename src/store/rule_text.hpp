// The rule of a decision as the book keeps it: JSON of field -> {"value", "origin", "origin_name"}, values in
// the text form of `rules`. What is read back is what was in force then, whatever the levels and names are
// now.
#pragma once
#include <nightjar/store/inventory.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace nightjar::store {

std::string write_rule(const RuleInForce&);
// Nothing when the text is not a rule.
std::optional<RuleInForce> read_rule(std::string_view text);

}  // namespace nightjar::store
