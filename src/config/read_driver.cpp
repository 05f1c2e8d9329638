#include "config/read_driver.hpp"

#include "config/embedded.hpp"
#include "config/form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace nightjar::config {
namespace {

using namespace dialogue;

template <class T>
using Choices = std::span<const std::pair<std::string_view, T>>;
template <class T>
using Choice = std::pair<std::string_view, T>;

constexpr std::array answers{
    Choice<Answer>{"text", Answer::text}, Choice<Answer>{"username", Answer::username},
    Choice<Answer>{"password", Answer::password}, Choice<Answer>{"enable_password", Answer::enable_password}};
constexpr std::array kinds{Choice<SectionKind>{"fact", SectionKind::fact},
                           Choice<SectionKind>{"config", SectionKind::config}};
constexpr std::array modes{Choice<Mode>{"shell", Mode::shell}, Choice<Mode>{"exec", Mode::exec}};
constexpr std::array statuses{Choice<bool>{"replayed", true}, Choice<bool>{"documented", true}};

const std::vector<Choice<FailureClass>>& classes() {
  static const auto all = [] {
    std::vector<Choice<FailureClass>> choices;
    for (const FailureClass c : all_failure_classes) choices.emplace_back(to_text(c), c);
    return choices;
  }();
  return all;
}

std::vector<LoginStep> read_login(Form& file) {
  std::vector<LoginStep> steps;
  for (Form& form : file.tables("login")) {
    auto expect = form.needed_pattern("expect");
    const auto answer = form.choice("answer", Choices<Answer>{answers}).value_or(Answer::text);
    const auto text = form.text("text");
    const auto at_most = form.number("at_most", 1, 100).value_or(1);
    if (answer == Answer::text && !text) form.wrong("text", "missing: what is to be typed?");
    if (answer != Answer::text && text) form.wrong("text", "is only for answer = \"text\"");
    form.finish();
    if (expect)
      steps.push_back({.expect = std::move(*expect),
                       .answer = answer,
                       .text = text.value_or(""),
                       .at_most = static_cast<std::size_t>(at_most)});
  }
  return steps;
}

std::vector<ErrorText> read_errors(Form& file, std::string_view key, FailureClass otherwise) {
  std::vector<ErrorText> errors;
  for (Form& form : file.tables(key)) {
    auto text = form.needed_pattern("text");
    const auto failure_class = form.choice("class", Choices<FailureClass>{classes()}).value_or(otherwise);
    auto reason = form.text("reason").value_or("");
    form.finish();
    if (text) errors.push_back({std::move(*text), failure_class, std::move(reason)});
  }
  return errors;
}

std::vector<Pager> read_pagers(Form& file) {
  std::vector<Pager> pagers;
  for (Form& form : file.tables("pager")) {
    auto prompt = form.needed_pattern("prompt");
    auto key = form.text("key").value_or(" ");
    if (key.empty()) form.wrong("key", "must not be empty");
    form.finish();
    if (prompt) pagers.push_back({std::move(*prompt), std::move(key)});
  }
  return pagers;
}

std::optional<Enable> read_enable(Form& file) {
  auto form = file.table("enable");
  if (!form) return std::nullopt;
  auto wanted_at = form->needed_pattern("wanted_at");
  auto command = form->needed_text("command");
  auto password_prompt = form->needed_pattern("password_prompt");
  auto username_prompt = form->pattern("username_prompt");
  auto refused = read_errors(*form, "refused", FailureClass::auth);
  form->finish();
  if (!wanted_at || !password_prompt) return std::nullopt;
  return Enable{std::move(*wanted_at), std::move(command), std::move(*password_prompt),
                std::move(username_prompt), std::move(refused)};
}

std::vector<Section> read_sections(Form& file) {
  std::vector<Section> sections;
  for (Form& form : file.tables("section")) {
    Section section;
    section.name = form.needed_text("name");
    section.kind = form.choice("kind", Choices<SectionKind>{kinds}).value_or(SectionKind::config);
    section.commands = form.texts("commands");
    const auto optional = form.flag("optional");
    section.optional = optional.value_or(false) || section.kind == SectionKind::fact;
    section.end_mark = form.pattern("end_mark");
    section.keep = form.patterns("keep");
    if (const auto seconds = form.number("timeout_seconds", 1, 7200)) section.timeout = Seconds{*seconds};
    if (section.commands.empty()) form.wrong("commands", "must name at least one command");
    for (const std::string& command : section.commands)
      if (command.empty() || command.find_first_of("\r\n") != std::string::npos)
        form.wrong("commands", "each must be one line of text");
    if (section.kind == SectionKind::config && !section.keep.empty())
      form.wrong("keep", "is only for kind = \"fact\"");
    if (section.kind == SectionKind::fact && optional == false)
      form.wrong("optional", "a fact is always optional");
    for (const Section& earlier : sections)
      if (earlier.name == section.name)
        form.wrong("name", fmt::format("\"{}\" is there twice", section.name));
    form.finish();
    sections.push_back(std::move(section));
  }
  if (std::none_of(sections.begin(), sections.end(),
                   [](const Section& s) { return s.kind == SectionKind::config; }))
    file.wrong("section", "no section of kind \"config\": nothing would be backed up");
  return sections;
}

Limits read_limits(Form& file) {
  Limits limits;
  auto form = file.table("limits");
  if (!form) return limits;
  if (const auto n = form->number("quiet_ms", 1, 60'000)) limits.quiet = Milliseconds{*n};
  if (const auto n = form->number("prompt_seconds", 1, 3600)) limits.prompt = Seconds{*n};
  if (const auto n = form->number("idle_seconds", 1, 7200)) limits.idle = Seconds{*n};
  if (const auto n = form->number("bytes", 1024, std::int64_t{1} << 32))
    limits.bytes = static_cast<std::size_t>(*n);
  if (const auto n = form->number("pages", 1, 10'000'000)) limits.pages = static_cast<std::size_t>(*n);
  form->finish();
  return limits;
}

revision::TextRules read_text(Form& file) {
  revision::TextRules rules;
  auto form = file.table("text");
  if (!form) return rules;
  if (auto comment = form->text("comment")) rules.comment = std::move(*comment);
  rules.begin = form->pattern("begin");
  rules.end = form->pattern("end");
  if (form->flag("endless").value_or(false) && rules.end) form->wrong("endless", "contradicts end");
  rules.framing = form->patterns("framing");
  if (const auto n = form->number("least_bytes", 1, 1 << 30))
    rules.least_bytes = static_cast<std::size_t>(*n);
  rules.noise = form->patterns("noise");
  rules.noise_lines = form->patterns("noise_lines");
  rules.secrets = form->patterns("secrets");
  rules.residue = form->patterns("residue");
  form->finish();
  return rules;
}

// Of the session table; what a file without one, or with a wrong prompt, reads as.
struct Session {
  std::optional<Pattern> prompt;
  std::vector<Pattern> prompt_variables;
  Mode mode = Mode::shell;
  std::string newline = "\n";
  bool echo = true;
  std::vector<std::string> preparation, logout;
  std::string unknown_command;
};

Session read_session(Form& file) {
  Session session;
  auto form = file.table("session");
  if (!form) {
    if (!file.has("session")) file.wrong("session.prompt", "missing");
    return session;
  }
  session.mode = form->choice("mode", Choices<Mode>{modes}).value_or(Mode::shell);
  session.prompt = form->needed_pattern("prompt");
  session.prompt_variables = form->patterns("prompt_variables");
  session.newline = form->text("newline").value_or("\n");
  if (session.newline != "\n" && session.newline != "\r" && session.newline != "\r\n")
    form->wrong("newline", "must be \"\\n\", \"\\r\" or \"\\r\\n\"");
  session.echo = form->flag("echo").value_or(true);
  session.preparation = form->texts("preparation");
  session.logout = form->texts("logout");
  session.unknown_command = form->text("unknown_command").value_or("");
  form->finish();
  return session;
}

Failure syntax_error(std::string_view origin, const toml::parse_error& error) {
  return failure(FailureClass::setup, Stage::none,
                 fmt::format("{}:{}: {}", origin, error.source().begin.line, error.description()));
}

template <class T>
void append(std::vector<T>& own, const std::vector<T>& shared) {
  own.insert(own.end(), shared.begin(), shared.end());
}

// An answer that ends with the configuration's own end mark need not be probed for its prompt.
void lend_end_mark(Script& script, const revision::TextRules& text) {
  const auto last = std::find_if(script.sections.rbegin(), script.sections.rend(),
                                 [](const Section& s) { return s.kind == SectionKind::config; });
  if (last != script.sections.rend() && !last->end_mark) last->end_mark = text.end;
}

}  // namespace

Result<Common> parse_common(std::string_view toml, std::string_view origin) try {
  const toml::table table = toml::parse(toml, origin);
  Complaints complaints{origin};
  Form file{table, "", complaints};
  Common common;
  common.login = read_login(file);
  common.login_errors = read_errors(file, "login_error", FailureClass::auth);
  common.command_errors = read_errors(file, "command_error", FailureClass::unsupported);
  common.pagers = read_pagers(file);
  common.residue = file.patterns("residue");
  file.finish();
  if (auto complaint = complaints.first()) return std::move(*complaint);
  return common;
} catch (const toml::parse_error& error) {
  return syntax_error(origin, error);
}

Result<Driver> parse_driver(std::string_view toml, std::string_view name, std::string_view origin,
                            const Common& common) try {
  const toml::table table = toml::parse(toml, origin);
  Complaints complaints{origin};
  Form file{table, "", complaints};

  if (const auto stated = file.text("name"); stated && *stated != name)
    file.wrong("name", fmt::format("\"{}\" is not the file's name, {}", *stated, name));
  auto title = file.needed_text("title");
  file.choice("status", Choices<bool>{statuses});
  const bool legacy_algorithms = file.flag("legacy_algorithms").value_or(false);
  const bool with_common = file.flag("common").value_or(true);
  auto session = read_session(file);
  auto login = read_login(file);
  auto login_errors = read_errors(file, "login_error", FailureClass::auth);
  auto enable = read_enable(file);
  auto pagers = read_pagers(file);
  auto sections = read_sections(file);
  auto command_errors = read_errors(file, "command_error", FailureClass::unsupported);
  const auto limits = read_limits(file);
  auto text = read_text(file);
  file.finish();
  if (auto complaint = complaints.first()) return std::move(*complaint);

  Driver driver{.name = std::string{name},
                .title = std::move(title),
                .status = table["status"].value_or(std::string{"documented"}),
                .legacy_algorithms = legacy_algorithms,
                .script = {.driver = std::string{name},
                           .mode = session.mode,
                           .newline = std::move(session.newline),
                           .prompt = std::move(*session.prompt),
                           .prompt_variables = std::move(session.prompt_variables),
                           .echo = session.echo,
                           .login = std::move(login),
                           .login_errors = std::move(login_errors),
                           .enable = std::move(enable),
                           .preparation = std::move(session.preparation),
                           .pagers = std::move(pagers),
                           .sections = std::move(sections),
                           .command_errors = std::move(command_errors),
                           .logout = std::move(session.logout),
                           .limits = limits},
                .text = std::move(text),
                .unknown_command = std::move(session.unknown_command),
                .source = std::string{origin},
                .toml = std::string{toml}};
  if (with_common) {
    append(driver.script.login, common.login);
    append(driver.script.login_errors, common.login_errors);
    append(driver.script.command_errors, common.command_errors);
    append(driver.script.pagers, common.pagers);
    driver.text.residue = driver.text.residue.with(common.residue);
  }
  lend_end_mark(driver.script, driver.text);
  return driver;
} catch (const toml::parse_error& error) {
  return syntax_error(origin, error);
}

}  // namespace nightjar::config
