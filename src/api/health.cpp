#include <nightjar/api/health.hpp>

namespace nightjar::api {

Response healthz() {
  return plain(200, "ok");
}

Response readyz(const Readiness& r) {
  if (r.ready) return plain(200, "ready");
  return plain(503, r.why_not ? "not ready: " + *r.why_not : "not ready");
}

}  // namespace nightjar::api
