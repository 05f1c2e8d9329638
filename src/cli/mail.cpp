// `mail`: the server that mail goes through. Its password is sealed before it reaches the database, and
// nothing here prints it.
#include "cli/address.hpp"
#include "cli/command.hpp"
#include "cli/file.hpp"
#include "cli/secret_input.hpp"
#include "cli/test_message.hpp"

#include <nightjar/delivery/address.hpp>
#include <nightjar/runtime/asio.hpp>
#include <nightjar/store/destinations.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>

namespace nightjar::cli {
namespace {

constexpr std::size_t most_certificate_bytes = 4u << 20;

struct SetOptions {
  std::string host, security = "starttls", sender, username, ca_file;
  std::optional<std::uint16_t> port;
  bool password_stdin = false, none = false;
};

struct TestOptions {
  std::string to;
};

void declare_set(CLI::App& app, SetOptions& options) {
  app.add_option("--host", options.host, "Its name or address")->type_name("HOST");
  app.add_option("--port", options.port, "Its port; 587 with starttls, 465 with tls, 25 with none")
      ->check(CLI::Range(1, 65535))
      ->type_name("N");
  app.add_option("--security", options.security, "starttls, tls (from the first byte on) or none")
      ->check(CLI::IsMember({"starttls", "tls", "none"}))
      ->capture_default_str()
      ->type_name("HOW");
  app.add_option("--sender", options.sender, "The address that mail comes from")->type_name("ADDRESS");
  app.add_option("--username", options.username, "The name to log in with; no login when not said")
      ->type_name("NAME");
  app.add_flag("--password-stdin", options.password_stdin, "The password is a line of standard input");
  app.add_option("--ca-file", options.ca_file, "Certificates (PEM) to trust beside the system's")
      ->type_name("FILE");
  app.add_flag("--none", options.none, "Forget the mail server: no mail is sent");
}

void declare_test(CLI::App& app, TestOptions& options) {
  app.add_option("--to", options.to, "Who gets the message; several with commas between")
      ->required()
      ->type_name("ADDRESS");
}

Listing listing() {
  return Listing({{"host", "Host"},
                  {"port", "Port"},
                  {"security", "Security"},
                  {"sender", "Sender"},
                  {"username", "User name"},
                  {"password", "Password set"},
                  {"ca_file", "Also trusts"}});
}

Listing described(const store::MailServerRow& server) {
  Listing one = listing();
  one.add({server.host, server.port, server.security, server.sender, json_or_null(server.username),
           !server.sealed_password.empty(), json_or_null(server.ca_file)});
  return one;
}

bool is_this_machine(const std::string& host) {
  boost::system::error_code no_address;
  const auto address = asio::ip::make_address(host, no_address);
  return no_address ? host == "localhost" : address.is_loopback();
}

Result<void> check_host(const std::string& host) {
  boost::system::error_code no_address;
  asio::ip::make_address(host, no_address);
  if (!no_address) return {};
  if (host.find(':') != std::string::npos)
    return usage(
        fmt::format("--host: \"{}\" is neither a name nor an address; a port is said with --port", host));
  const auto fits = [](unsigned char c) { return std::isalnum(c) || c == '.' || c == '-' || c == '_'; };
  if (host.empty() || !std::all_of(host.begin(), host.end(), fits))
    return usage(fmt::format("--host: \"{}\" is not the name of a host", host));
  return {};
}

// As an absolute path: the daemon has a working folder of its own.
Result<std::string> checked_ca_file(const std::string& name) {
  if (name == "-") return usage("--ca-file wants a file: standard input is for the password");
  const auto text = read_file(name, most_certificate_bytes);
  if (!text) return text.error();
  if (text->find("-----BEGIN CERTIFICATE-----") == std::string::npos)
    return usage(fmt::format("--ca-file: there is no certificate (PEM) in {}", name));
  return std::filesystem::absolute(name).lexically_normal().string();
}

Result<store::MailServerRow> server_of(const SetOptions& options) {
  if (options.host.empty() || options.sender.empty())
    return usage("a mail server needs --host and --sender; --none forgets it");
  if (const auto host = check_host(options.host); !host) return host.error();
  auto sender = delivery::mail_address(options.sender);
  if (!sender) return sender.error();
  if (options.username.empty() && options.password_stdin)
    return usage("--password-stdin goes with --username");
  if (!options.username.empty() && options.security == "none" && !is_this_machine(options.host))
    return usage(
        fmt::format("a login to {} without encryption would show the password to the network: use "
                    "--security starttls or tls",
                    options.host));
  static const std::map<std::string, std::uint16_t> usual_ports{
      {"starttls", 587}, {"tls", 465}, {"none", 25}};
  store::MailServerRow server;
  server.host = options.host;
  server.port = options.port.value_or(usual_ports.at(options.security));
  server.security = options.security;
  server.sender = std::move(*sender);
  server.username = options.username;
  if (!options.ca_file.empty()) {
    auto file = checked_ca_file(options.ca_file);
    if (!file) return file.error();
    server.ca_file = std::move(*file);
  }
  return server;
}

Result<void> read_password(Context& context, const SetOptions& options, store::MailServerRow& server) {
  if (server.username.empty()) return {};
  if (!options.password_stdin && !can_ask())
    return usage("--username goes with --password-stdin (there is no terminal to ask on)");
  const auto vault = context.vault();
  if (!vault) return vault.error();
  const auto password = can_ask() ? ask_secret("Password of the mail server") : secret_line("password");
  if (!password) return password.error();
  server.sealed_password = (*vault)->seal(*password, store::mail_password_record);
  return {};
}

Exit forget(Context& context, store::Database& db, const SetOptions& options) {
  if (!options.host.empty() || !options.sender.empty() || !options.username.empty() || options.password_stdin)
    return usage("--none stands alone");
  store::Destinations destinations{db};
  const auto before = destinations.mail_server();
  if (!before) return before.error();
  if (!*before) {
    context.out().note("no mail server was set");
    return ExitCode::nothing_to_do;
  }
  if (const auto gone = destinations.set_mail_server(std::nullopt); !gone) return gone.error();
  context.out().done(fmt::format("forgot the mail server {}", (*before)->host),
                     described(**before).as_record_json());
  return ExitCode::done;
}

Exit set(Context& context, const SetOptions& options) {
  const auto db = context.database();
  if (!db) return db.error();
  if (options.none) return forget(context, **db, options);
  auto server = server_of(options);
  if (!server) return server.error();
  if (const auto read = read_password(context, options, *server); !read) return read.error();
  if (const auto set = store::Destinations{**db}.set_mail_server(*server); !set) return set.error();
  context.out().done(fmt::format("mail goes through {} port {}; `nightjar mail test --to ADDRESS` tries it",
                                 server->host, server->port),
                     described(*server).as_record_json());
  return ExitCode::done;
}

Exit show(Context& context, const NoOptions&) {
  const auto db = context.database();
  if (!db) return db.error();
  const auto server = store::Destinations{**db}.mail_server();
  if (!server) return server.error();
  const Output& out = context.out();
  if (*server) {
    out.record(described(**server));
    return ExitCode::done;
  }
  if (out.format() == Format::json) out.json(nullptr);
  out.note("no mail server is set: `nightjar mail set` names one");
  return ExitCode::nothing_to_do;
}

Exit test(Context& context, const TestOptions& options) {
  auto addresses = mail_addresses(options.to);
  if (!addresses) return addresses.error();
  store::Destination destination;
  destination.address = std::move(*addresses);
  return send_test(context, destination);
}

}  // namespace

void declare_mail(Commands& commands) {
  CLI::App& noun = commands.noun("mail", "Mail: the server that alerts and reports go through");
  commands.verb<SetOptions>(noun, "set", "Name the mail server, all of it at once", declare_set, set)
      .footer(
          "What is not said is not kept. A login without encryption goes to this machine alone.\n\n"
          "  nightjar mail set --host smtp.example.net --sender nightjar@example.net\n"
          "  printf '%s\\n' \"$PASSWORD\" |\n"
          "    nightjar mail set --host smtp.example.net --security tls --sender nightjar@example.net \\\n"
          "      --username nightjar --password-stdin\n"
          "  nightjar mail set --none");
  commands
      .verb<NoOptions>(noun, "show", "The mail server; its password is never shown", declare_nothing, show)
      .footer("Exits 2 when none is set.");
  commands.verb<TestOptions>(noun, "test", "Send one test message now", declare_test, test)
      .footer(
          "Prints what the server said. Exits 0 when it took the message for everybody, 1 when not.\n\n"
          "  nightjar mail test --to noc@example.org");
}

}  // namespace nightjar::cli
