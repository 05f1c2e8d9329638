// Standard Webhooks (https://www.standardwebhooks.com, version 1): how a receiver can tell that a message is
// ours and how old it is. It sends nothing and keeps no secret.
#pragma once
#include <nightjar/base/result.hpp>
#include <nightjar/base/secret.hpp>
#include <nightjar/base/time.hpp>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nightjar::delivery {

using Headers = std::vector<std::pair<std::string, std::string>>;

// A signing secret is handed round in its text form, whsec_<base64>, of 24 to 64 bytes. Blanks around it are
// taken off. Class setup when it is none; the complaint does not repeat it.
Result<Secret> signing_secret(std::string_view typed);
Secret new_signing_secret();  // 32 bytes of libsodium's randomness

// The value of webhook-signature: v1,<base64> for each secret, the current one first and, while a receiver
// changes over, the one before it. `id` is visible ASCII without a full stop. Class setup when it, or a
// secret, is not.
Result<std::string> sign(std::string_view id, UtcTime at, std::string_view body,
                         std::span<const Secret> secrets);

// webhook-id (the same for each try), webhook-timestamp (this try), webhook-signature (left out when there
// are no secrets) and Content-Type: application/json.
Result<Headers> webhook_headers(std::string_view id, UtcTime at, std::string_view body,
                                std::span<const Secret> secrets);

}  // namespace nightjar::delivery
