// The daemon's status in Prometheus' text exposition format 0.0.4. Names and labels are a contract with
// people's dashboards and alerts: they are added to, never changed. The same status gives the same bytes.
#pragma once
#include <nightjar/api/message.hpp>
#include <nightjar/orchestrator/status.hpp>

#include <string>
#include <string_view>

namespace nightjar::api {

inline constexpr std::string_view metrics_content_type = "text/plain; version=0.0.4; charset=utf-8";

// Counters count from the start of the process. Combinations that are bound to come (each class of a failed
// attempt, each end of a series) stand there from the start with 0, so that the first of them is a rise. A
// label that does not apply is empty, which to Prometheus is a label that is not there. What there is none of
// now (an open breaker, a next run) has no sample.
std::string prometheus(const orchestrator::Status& status);

// That, as the answer to /metrics.
Response metrics(const orchestrator::Status& status);

}  // namespace nightjar::api
