#include "dialogue/recordings.hpp"

#include <utility>

namespace nightjar::dialogue::test {
namespace {

using namespace std::string_literals;

// A config that quotes the prompt, the end mark and a pager, as banners do.
constexpr std::string_view quoting =
    "!\nhostname core-01\nbanner motd ^C\ncore-01# not for you\ncore-01#\nend\ncore-01#show clock\nsee "
    "--More-- below\n"
    "^C\nsnmp-server location core-01# rack 4\n description ## TRUNK #  \n!\nend\n";

Recording quoting_config() {
  Recording r{"a config that quotes its prompt", script(), {}, {"Version 15.2\n", std::string{quoting}}};
  r.device.greeting = "\r\n########\r\n# hello #\r\n########\r\n\r\n";
  r.device.answer("terminal length 0", "");
  r.device.answer("terminal width 0", "");
  r.device.answer("show version", "Version 15.2\n");
  r.device.answer("show running-config", std::string{quoting});
  return r;
}

Recording without_end_mark() {
  Recording r = quoting_config();
  r.name = "the same without an end mark";
  r.script.sections[1].end_mark.reset();
  return r;
}

Recording enable_and_pager() {
  Recording r{"a login in the shell and a pager that stays", script(), {}, {}};
  r.script.prompt = pattern("[#\\w.-]+[#>]");
  r.device.prompt = "edge-2>";
  r.device.greeting = "\r\n#########\r\nUser Access Verification\r\n\r\nUsername: "s + wait_line +
                      "Password: " + wait_secret + "\r\nLast login: today\r\n";
  r.device.answers["enable"] = {{"Password: "s + wait_secret, "edge-2#"}};
  r.device.answer("terminal width 0", "");
  const std::string more = "--More-- "s + wait_key + "\r         \r";
  r.device.answers["show version"] = {
      {"Version 8.0\r\n" + more + "Serial X1\r\n" + more + "edge-2 uptime\r\n", std::nullopt}};
  r.device.answers["show running-config"] = {
      {"!\r\ninterface a\r\n" + more + " ip address dhcp  \r\n" + more + "\r\n!\r\n" + more + "end\r\n",
       std::nullopt}};
  r.texts = {"Version 8.0\nSerial X1\nedge-2 uptime\n", "!\ninterface a\n ip address dhcp  \n\n!\nend\n"};
  return r;
}

Recording preamble() {
  Recording r{"a line before every prompt and blanks behind every echo", script(), {}, {}};
  r.script.prompt = pattern(R"([\w.-]+@[\w.-]+>)");
  r.script.enable.reset();
  r.script.preparation = {"set cli screen-length 0"};
  r.script.sections = {{"config", SectionKind::config, {"show configuration"}, false, {}, {}, {}}};
  r.device.prompt = "\r\n{master:0}\r\nbackup@mx-1> ";
  r.device.newline = " \r\n";
  r.device.answer("set cli screen-length 0", "Screen length set to 0\n");
  r.device.answer(
      "show configuration",
      "## Last commit: today\nsystem {\n    host-name mx-1;\n}\n{master:0}\n\nbackup@mx-1> \nlast;\n");
  r.texts = {
      "## Last commit: today\nsystem {\n    host-name mx-1;\n}\n{master:0}\n\nbackup@mx-1> \nlast;\n\n"};
  return r;
}

Recording unix_shell() {
  Recording r{"a coloured prompt with a title", script(), {}, {}};
  r.script.prompt = pattern(R"([\w.-]+@[\w.-]+:[^ ]*[$#])");
  r.script.enable.reset();
  r.script.preparation = {};
  r.script.command_errors = {{pattern("command not found"), FailureClass::unsupported, ""}};
  r.script.sections = {
      {"os",
       SectionKind::fact,
       {"lsb_release -d", "cat /etc/os-release"},
       true,
       {},
       {pattern("^NAME|^VERSION")},
       {}},
      {"interfaces", SectionKind::config, {"cat /etc/network/interfaces"}, false, {}, {}, {}}};
  r.device.prompt = "\x1b]0;me@edge-1: ~\x07\x1b[01;32mme@edge-1\x1b[00m:\x1b[01;34m~\x1b[00m$ ";
  r.device.unknown = "-bash: command not found\r\n";
  r.device.answer("cat /etc/os-release", "NAME=\"Debian\"\nID=debian\nVERSION=\"12\"\n");
  r.device.answer("cat /etc/network/interfaces",
                  "# made by me@edge-1:~$ vi\nauto lo\nme@edge-1:~$\n\tinet dhcp\n\n");
  r.texts = {"NAME=\"Debian\"\nVERSION=\"12\"\n",
             "# made by me@edge-1:~$ vi\nauto lo\nme@edge-1:~$\n\tinet dhcp\n\n"};
  return r;
}

Recording painted() {
  Recording r{"a prompt painted by cursor addressing", script(), {}, {}};
  r.script.preparation = {"no page"};
  r.script.sections.erase(r.script.sections.begin());
  r.device.prompt =
      "\x1b[1;24r\x1b[24;1H\x1b[24;1H\x1b[2K\x1b[24;1H\x1b[?25h\x1b[24;1H\x1b[24;1Hsw-4# \x1b[24;1H"
      "\x1b[24;7H\x1b[24;1H\x1b[?25h\x1b[24;7H";
  r.device.newline =
      "\x1b[24;7H\x1b[?25h\x1b[24;14H\x1b[24;0H\x1b"
      "E\x1b[24;1H\x1b[24;14H\x1b[24;1H\x1b[2K\x1b[24;1H";
  r.device.answer("no page", "");
  r.device.answer("show running-config", "\nRunning configuration:\n\nhostname \"sw-4\"\nsw-4# x\nend\n");
  r.texts = {"\nRunning configuration:\n\nhostname \"sw-4\"\nsw-4# x\nend\n"};
  return r;
}

Recording line_feed_first() {
  Recording r{"LF CR before the prompt and bare line feeds", script(), {}, {}};
  r.script.sections[1].end_mark.reset();
  r.device.prompt = "\n\rcore-01# ";
  r.device.answers["terminal length 0"] = {{"", std::nullopt}};
  r.device.answers["show version"] = {{"Nexus\nuptime\n", std::nullopt}};
  r.device.answers["show running-config"] = {
      {"\n!Command: show running-config\nversion 10.4(5)  \nhostname core-01\ncore-01#\n", std::nullopt}};
  r.texts = {"Nexus\nuptime\n\n",
             "\n!Command: show running-config\nversion 10.4(5)  \nhostname core-01\ncore-01#\n\n"};
  return r;
}

}  // namespace

std::vector<Recording> recordings() {
  return {quoting_config(), without_end_mark(), enable_and_pager(), preamble(),
          unix_shell(),     painted(),          line_feed_first()};
}

}  // namespace nightjar::dialogue::test
