// `credential`: how to log in. Secrets are sealed before they reach the database, a key is parsed before it
// is kept, and nothing here ever prints one.
#include "cli/command.hpp"
#include "cli/file.hpp"
#include "cli/secret_input.hpp"

#include <nightjar/ssh/session.hpp>
#include <nightjar/store/breakers.hpp>
#include <nightjar/store/inventory.hpp>

#include <fmt/format.h>

#include <optional>
#include <unordered_map>

namespace nightjar::cli {
namespace {

constexpr std::size_t most_key_bytes = 65536;

struct CredentialOptions {
  std::string name;
  std::optional<std::string> username;
  std::string key_file;
  bool password_stdin = false, enable_stdin = false, passphrase_stdin = false;
  bool no_password = false, no_enable = false, no_key = false;
  bool yes = false;
};

struct Secrets {
  std::optional<Secret> password, enable, key, passphrase;
};

Listing listing() {
  return Listing({{"id", ""},
                  {"name", "CREDENTIAL"},
                  {"customer", ""},
                  {"username", "USERNAME"},
                  {"password", "PASSWORD"},
                  {"enable", "ENABLE"},
                  {"key", "KEY"},
                  {"rejected", "REJECTED SINCE (UTC)"}});
}

// `rejected`: since when devices do, so that it is not tried any more.
void add_row(Listing& into, const store::Credential& credential, std::optional<UtcTime> rejected) {
  into.add({credential.id.value, full_name(credential), json_or_null(credential.customer_name),
            credential.username, !credential.sealed_password.empty(), !credential.sealed_enable.empty(),
            !credential.sealed_key.empty(), Cell(rejected).toned(Tone::bad)});
}

Json json(const store::Credential& credential) {
  Listing one = listing();
  add_row(one, credential, {});
  return one.as_record_json();
}

void declare_name(CLI::App& app, CredentialOptions& options) {
  app.add_option("NAME", options.name, "CUSTOMER/NAME, or NAME alone for one of the platform")->required();
}

void declare_secrets(CLI::App& app, CredentialOptions& options) {
  const char* group = "Secrets (lines of standard input, in this order)";
  app.add_flag("--password-stdin", options.password_stdin, "A line with the password")->group(group);
  app.add_flag("--enable-stdin", options.enable_stdin, "A line with the enable password")->group(group);
  app.add_flag("--passphrase-stdin", options.passphrase_stdin, "A line with the passphrase of the key")
      ->group(group);
  app.add_option("--key", options.key_file,
                 "A private key to log in with (ed25519, ecdsa, rsa; OpenSSH or PEM)")
      ->type_name("FILE");
}

void declare_add(CLI::App& app, CredentialOptions& options) {
  declare_name(app, options);
  app.add_option("--username", options.username, "The name to log in with")->required()->type_name("NAME");
  declare_secrets(app, options);
}

void declare_set(CLI::App& app, CredentialOptions& options) {
  declare_name(app, options);
  app.add_option("--username", options.username, "Another name to log in with")->type_name("NAME");
  declare_secrets(app, options);
  app.add_flag("--no-password", options.no_password, "Forget the password");
  app.add_flag("--no-enable", options.no_enable, "Forget the enable password");
  app.add_flag("--no-key", options.no_key, "Forget the key and its passphrase");
}

void declare_remove(CLI::App& app, CredentialOptions& options) {
  declare_name(app, options);
  app.add_flag("--yes", options.yes, "Do not ask");
}

// An unreadable key, or one whose passphrase is missing or wrong, is refused here and not at two in the
// morning.
Result<void> read_key(const CredentialOptions& options, Secrets& secrets) {
  auto text = read_file(options.key_file, most_key_bytes);
  if (!text) return text.error();
  secrets.key.emplace(*text);
  wipe(*text);
  const Secret none;
  auto parsed =
      ssh::PrivateKey::parse(*secrets.key, secrets.passphrase ? *secrets.passphrase : none, options.key_file);
  if (parsed || secrets.passphrase) return parsed ? Result<void>{} : parsed.error();
  if (!can_ask()) {
    Failure refused = parsed.error();
    refused.reason += " (a key's passphrase is given with --passphrase-stdin)";
    return refused;
  }
  auto passphrase = ask_secret("Passphrase of the key");
  if (!passphrase) return passphrase.error();
  secrets.passphrase = std::move(*passphrase);
  parsed = ssh::PrivateKey::parse(*secrets.key, *secrets.passphrase, options.key_file);
  return parsed ? Result<void>{} : parsed.error();
}

Result<Secrets> read_secrets(const CredentialOptions& options, bool wants_one) {
  if (options.passphrase_stdin && options.key_file.empty())
    return usage("--passphrase-stdin goes with --key");
  if (options.key_file == "-") return usage("--key wants a file: standard input is for passwords");
  Secrets secrets;
  const auto line = [](bool asked, std::string_view what, std::optional<Secret>& into) -> Result<void> {
    if (!asked) return {};
    auto secret = can_ask() ? ask_secret(what) : secret_line(what);
    if (!secret) return secret.error();
    into = std::move(*secret);
    return {};
  };
  if (const auto r = line(options.password_stdin, "password", secrets.password); !r) return r.error();
  if (const auto r = line(options.enable_stdin, "enable password", secrets.enable); !r) return r.error();
  if (const auto r = line(options.passphrase_stdin, "passphrase", secrets.passphrase); !r) return r.error();
  if (!options.key_file.empty()) {
    if (const auto r = read_key(options, secrets); !r) return r.error();
  } else if (wants_one && !options.password_stdin) {
    if (!can_ask())
      return usage("a credential needs --password-stdin or --key FILE (there is no terminal to ask on)");
    if (const auto r = line(true, "password", secrets.password); !r) return r.error();
  }
  return secrets;
}

void seal(store::Credential& credential, const Secrets& secrets, const vault::Vault& vault) {
  const auto put = [&](const std::optional<Secret>& secret, std::string_view part, std::string& into) {
    if (secret) into = vault.seal(*secret, store::credential_record(credential.id, part));
  };
  put(secrets.password, "password", credential.sealed_password);
  put(secrets.enable, "enable", credential.sealed_enable);
  if (secrets.key) credential.sealed_passphrase.clear();
  put(secrets.key, "key", credential.sealed_key);
  put(secrets.passphrase, "passphrase", credential.sealed_passphrase);
}

Result<store::Credential> named(store::Inventory& inventory, const std::string& text) {
  store::Credential credential;
  const std::size_t slash = text.find('/');
  credential.name = slash == std::string::npos ? text : text.substr(slash + 1);
  if (slash == std::string::npos) return credential;
  const auto customer = inventory.customer(text.substr(0, slash));
  if (!customer) return customer.error();
  credential.customer = customer->id;
  credential.customer_name = customer->name;
  return credential;
}

Exit add(Context& context, const CredentialOptions& options) {
  const auto db = context.database();
  if (!db) return db.error();
  const auto vault = context.vault();
  if (!vault) return vault.error();
  store::Inventory inventory{**db};
  auto credential = named(inventory, options.name);
  if (!credential) return credential.error();
  credential->username = options.username.value_or("");
  if (inventory.credential(options.name))
    return usage(fmt::format("credential {} exists already", options.name));
  const auto secrets = read_secrets(options, true);
  if (!secrets) return secrets.error();
  const auto added = (*db)->atomically([&]() -> Result<void> {
    const auto id = inventory.add_credential(*credential);  // the first: it is part of what seals the secrets
    if (!id) return id.error();
    credential->id = *id;
    seal(*credential, *secrets, **vault);
    return inventory.update_credential(*credential);
  });
  if (!added) return added.error();
  context.out().done(fmt::format("added credential {}", full_name(*credential)), json(*credential));
  return ExitCode::done;
}

Exit set(Context& context, const CredentialOptions& options) {
  const auto db = context.database();
  if (!db) return db.error();
  const auto vault = context.vault();
  if (!vault) return vault.error();
  store::Inventory inventory{**db};
  auto credential = inventory.credential(options.name);
  if (!credential) return credential.error();
  const bool forgets = options.no_password || options.no_enable || options.no_key;
  const bool names_a_secret = options.password_stdin || options.enable_stdin || !options.key_file.empty();
  if (!options.username && !forgets && !names_a_secret && !can_ask())
    return usage("nothing to change: name a secret, --username or a --no- flag");
  const auto secrets = read_secrets(options, !options.username && !forgets && !options.enable_stdin);
  if (!secrets) return secrets.error();
  credential->username = options.username.value_or(credential->username);
  if (options.no_password) credential->sealed_password.clear();
  if (options.no_enable) credential->sealed_enable.clear();
  if (options.no_key) {
    credential->sealed_key.clear();
    credential->sealed_passphrase.clear();
  }
  seal(*credential, *secrets, **vault);
  if (credential->sealed_password.empty() && credential->sealed_key.empty())
    return usage(fmt::format("credential {} would be left with neither password nor key", options.name));
  if (const auto written = inventory.update_credential(*credential); !written) return written.error();
  context.out().done(fmt::format("changed credential {}", full_name(*credential)), json(*credential));
  return ExitCode::done;
}

Exit list(Context& context, const NoOptions&) {
  const auto db = context.database();
  if (!db) return db.error();
  const auto credentials = store::Inventory{**db}.credentials();
  if (!credentials) return credentials.error();
  const auto tripped = store::BreakerBook{**db}.tripped();
  if (!tripped) return tripped.error();
  std::unordered_map<CredentialId, std::optional<UtcTime>> rejected;
  for (const auto& row : *tripped) rejected[row.credential] = row.breaker.tripped_at;
  Listing all = listing();
  for (const store::Credential& credential : *credentials) add_row(all, credential, rejected[credential.id]);
  context.out().list(all);
  return ExitCode::done;
}

Exit reset(Context& context, const CredentialOptions& options) {
  const auto db = context.database();
  if (!db) return db.error();
  const auto credential = store::Inventory{**db}.credential(options.name);
  if (!credential) return credential.error();
  const auto counted = store::BreakerBook{**db}.reset(credential->id);
  if (!counted) return counted.error();
  const std::string name = full_name(*credential);
  if (!*counted) {
    context.out().note(fmt::format("no device rejects credential {}: there is nothing to reset", name));
    return ExitCode::nothing_to_do;
  }
  context.out().done(fmt::format("credential {} may be tried again", name), json(*credential));
  return ExitCode::done;
}

Exit remove(Context& context, const CredentialOptions& options) {
  const auto db = context.database();
  if (!db) return db.error();
  store::Inventory inventory{**db};
  const auto credential = inventory.credential(options.name);
  if (!credential) return credential.error();
  const auto sure = confirm(fmt::format("Credential {} goes for good.", full_name(*credential)), options.yes);
  if (!sure) return sure.error();
  if (!*sure) return ExitCode::nothing_to_do;
  if (const auto removed = inventory.remove_credential(credential->id); !removed) return removed.error();
  context.out().done(fmt::format("removed credential {}", full_name(*credential)), json(*credential));
  return ExitCode::done;
}

}  // namespace

void declare_credential(Commands& commands) {
  CLI::App& noun = commands.noun("credential", "Credentials: user names, passwords and keys, sealed at rest");
  const char* about_secrets =
      "Secrets come as lines of standard input or are asked for on the terminal without echo. With several "
      "flags\n"
      "the lines are, in this order: password, enable password, passphrase.\n"
      "  printf '%s\\n%s\\n' \"$PASSWORD\" \"$ENABLE\" |\n"
      "    nightjar credential add acme/core --username backup --password-stdin --enable-stdin";
  commands.verb<CredentialOptions>(noun, "add", "Add a credential", declare_add, add).footer(about_secrets);
  commands.verb<CredentialOptions>(noun, "set", "Change parts of a credential", declare_set, set)
      .footer(about_secrets);
  commands.verb<NoOptions>(noun, "list", "List credentials; secrets are never shown", declare_nothing, list);
  commands
      .verb<CredentialOptions>(noun, "reset", "Let a credential be tried again that devices have rejected",
                               declare_name, reset)
      .footer(
          "After three devices in a row have rejected a credential it is not tried on others, so that one\n"
          "changed password does not lock an account out everywhere. `credential list` and `status` show\n"
          "it; `credential set` with the new password resets it too. Exits 2 when nothing was to reset.\n\n"
          "  nightjar credential reset acme/core");
  commands.verb<CredentialOptions>(noun, "remove", "Remove a credential that no device uses", declare_remove,
                                   remove);
}

}  // namespace nightjar::cli
