#include <nightjar/admission/evidence.hpp>

namespace nightjar::admission {
namespace {

// The device had accepted a connection when the attempt came to this stage.
bool is_connected(Stage stage) {
  switch (stage) {
    case Stage::none:
    case Stage::resolve:
    case Stage::connect:
      return false;
    case Stage::handshake:
    case Stage::host_key:
    case Stage::auth:
    case Stage::login:
    case Stage::command:
    case Stage::verify:
    case Stage::store:
      return true;
  }
  return false;
}

}  // namespace

Contact contact_of(const std::optional<Failure>& failure) {
  if (!failure) return Contact::reached;
  const bool connected = is_connected(failure->stage);
  switch (failure->failure_class) {
    case FailureClass::unreachable:
      return Contact::unreachable;
    // Whichever deadline runs out first, the attempt's or the connection's: there was no answer.
    case FailureClass::timeout:
      if (connected) return Contact::lost;
      return failure->stage == Stage::none ? Contact::none : Contact::unreachable;
    case FailureClass::dropped:
    case FailureClass::local:
    case FailureClass::internal:
      return connected ? Contact::lost : Contact::none;
    case FailureClass::busy:
    case FailureClass::incomplete:
    case FailureClass::auth:
    case FailureClass::host_key:
    case FailureClass::negotiation:
    case FailureClass::unsupported:
    case FailureClass::setup:
      return connected ? Contact::reached : Contact::none;
  }
  return Contact::none;
}

Login login_of(const std::optional<Failure>& failure) {
  if (!failure) return Login::accepted;
  if (failure->failure_class == FailureClass::auth)
    return is_connected(failure->stage) ? Login::rejected : Login::none;
  // Stage login ends with enable: what failed before that says nothing about the whole credential.
  switch (failure->stage) {
    case Stage::command:
    case Stage::verify:
    case Stage::store:
      return Login::accepted;
    case Stage::none:
    case Stage::resolve:
    case Stage::connect:
    case Stage::handshake:
    case Stage::host_key:
    case Stage::auth:
    case Stage::login:
      return Login::none;
  }
  return Login::none;
}

}  // namespace nightjar::admission
