#include "lab/manner.hpp"

#include <string>

namespace nightjar::lab {
namespace {

using enum Does;

constexpr Command ios_commands[] = {
    {"terminal length 0", paging_off, ""},
    {"terminal width *", print, ""},
    {"enable", enable, "Password: "},
    {"disable", disable, ""},
    {"show running-config", config, "", true},
    {"show startup-config", config, "", true},
    {"show version", print,
     "Cisco IOS Software, C2960X Software (C2960X-UNIVERSALK9-M), Version 15.2(7)E10, RELEASE SOFTWARE "
     "(fc2)\n"
     "Copyright (c) 1986-2024 by Cisco Systems, Inc.\n\n"
     "ROM: Bootstrap program is C2960X boot loader\n\n{host} uptime is 12 weeks, 3 days, 4 hours, 7 minutes\n"
     "System image file is \"flash:/c2960x-universalk9-mz.152-7.E10.bin\"\n\n"
     "Processor board ID FOC0000LAB0\nConfiguration register is 0xF\n\n"},
    {"show inventory", print,
     "NAME: \"1\", DESCR: \"WS-C2960X-48TS-L\"\nPID: WS-C2960X-48TS-L  , VID: V05  , SN: FOC0000LAB0\n\n\n"},
    {"show vlan *", print,
     "\nVLAN Name                             Status    Ports\n10   office-10    active\n\n"},
    {"exit", leave, ""},
    {"logout", leave, ""},
    {"quit", leave, ""},
};

constexpr Command eos_commands[] = {
    {"terminal length 0", paging_off, "Pagination disabled.\n"},
    {"terminal width *", print, "Width set to 511 columns.\n"},
    {"enable", enable, "Password: "},
    {"disable", disable, ""},
    {"show running-config", config, "", true},
    {"show startup-config", config, "", true},
    {"show version", print,
     "Arista vEOS-lab\nHardware version: \nSerial number: LAB0000EOS0\nSoftware image version: 4.33.1F\n"
     "Architecture: x86_64\n\nUptime: 12 weeks, 3 days, 4 hours and 7 minutes\nTotal memory: 2014520 kB\n\n"},
    {"show inventory", print,
     "System Information\n  Model                     Description\n  vEOS-lab                  vEOS-lab\n"},
    {"exit", leave, ""},
    {"logout", leave, ""},
};

constexpr Command nxos_commands[] = {
    {"terminal length 0", paging_off, ""},
    {"terminal width *", print, ""},
    {"show running-config", config, ""},
    {"show startup-config", config, ""},
    {"show version", print,
     "Cisco Nexus Operating System (NX-OS) Software\nTAC support: http://www.cisco.com/tac\n\nSoftware\n"
     "  BIOS: version 01.11\n  NXOS: version 10.4(5)\n\nHardware\n  cisco Nexus9000 C93180YC-FX3 Chassis\n"
     "  Processor Board ID LAB0000NXOS\n\n  Device name: {host}\n"},
    {"show inventory", print,
     "NAME: \"Chassis\",  DESCR: \"Nexus9000 C93180YC-FX3 Chassis\"\n"
     "PID: N9K-C93180YC-FX3   ,  VID: V04 ,  SN: LAB0000NXOS\n\n"},
    {"exit", leave, ""},
};

constexpr Command junos_commands[] = {
    {"set cli screen-length 0", paging_off, "Screen length set to 0\n"},
    {"set cli screen-width *", print, "Screen width set to 0\n"},
    {"set cli complete-on-space off", print, "Disabling complete-on-space\n"},
    {"show configuration", config, ""},
    {"show version", print,
     "Hostname: {host}\nModel: srx300\nJunos: 22.4R3-S2.11\nJUNOS Software Release [22.4R3-S2.11]\n"},
    {"show chassis hardware", print,
     "Hardware inventory:\nItem             Version  Part number  Serial number     Description\n"
     "Chassis                                LAB0000JUNOS      SRX300\n"},
    {"show system license", print, "License usage: \n\nLicenses installed: none\n"},
    {"exit", leave, ""},
    {"quit", leave, ""},
};

constexpr Command fortios_commands[] = {
    {"config system console", enter, "console"},
    {"set output standard", paging_off, "", false, "console"},
    {"set output more", print, "", false, "console"},
    {"config global", print, ""},
    {"get system status", print,
     "Version: FortiGate-91G v7.4.7,build2731,250120 (GA.M)\nSerial-Number: FGT91GLAB00000\nHostname: "
     "{host}\n"
     "Operation Mode: NAT\nCurrent virtual domain: root\n"},
    {"get hardware status", print, "Model name: FortiGate-91G\nCPU: ARMv8\nRAM: 7547 MB\n"},
    {"get system ha status", print, "HA Health Status: OK\nMode: Standalone\n"},
    {"show full-configuration", config, ""},
    {"show", config, ""},
    {"end", print, ""},
    {"exit", leave, ""},
    {"quit", leave, ""},
};

constexpr Command frr_commands[] = {
    {"terminal length 0", paging_off, ""},
    {"terminal no length", paging_off, ""},
    {"enable", print, ""},
    {"show running-config", config, ""},
    {"show version", print,
     "FRRouting 8.4.4 ({host}) on Linux(6.1.0-18-amd64).\nCopyright 1996-2005 Kunihiro Ishiguro, et al.\n"},
    {"exit", leave, ""},
    {"quit", leave, ""},
};

constexpr Command linux_commands[] = {
    {"cat /etc/network/interfaces", config, ""},
    {"uname -a", print,
     "Linux {host} 6.1.0-18-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 x86_64 GNU/Linux\n"},
    {"hostname", print, "{host}\n"},
    {"cat /etc/os-release", print, "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n"},
    {"(cd *", config, "### /etc/network/interfaces\n"},
    {"export *", print, ""},
    {"unset *", print, ""},
    {"stty *", print, ""},
    {"exit", leave, ""},
    {"logout", leave, ""},
};

constexpr std::string_view cisco_unknown = "        ^\n% Invalid input detected at '^' marker.\n\n";
constexpr std::string_view backspaces = "\b\b\b\b\b\b\b\b\b        \b\b\b\b\b\b\b\b\b";
constexpr std::string_view return_and_blanks = "\r         \r";

const Manner ios{.greeting = "\r\n",
                 .prompt = "{host}>",
                 .enabled_prompt = "{host}#",
                 .unknown = cisco_unknown,
                 .enable_refused = "% Bad secrets\n\n",
                 .enable_tries = 3,
                 .more = " --More-- ",
                 .erase = backspaces,
                 .frame_before = "Building configuration...\n\nCurrent configuration : {n} bytes\n",
                 .frame_after = "\n",
                 .commands = ios_commands};

const Manner eos{.greeting = "",
                 .prompt = "{host}>",
                 .enabled_prompt = "{host}#",
                 .unknown = "% Invalid input\n",
                 .enable_refused = "% Bad secret\n",
                 .more = " --More-- ",
                 .erase = return_and_blanks,
                 .commands = eos_commands};

const Manner nxos{
    .greeting =
        "\r\nCisco Nexus Operating System (NX-OS) Software\r\nTAC support: http://www.cisco.com/tac\r\n",
    .prompt = "\r{host}# ",
    .unknown = "                   ^\n% Invalid command at '^' marker.\n",
    .more = "--More--",
    .erase = "\r\x1b[K",
    .frame_before = "\n",
    .frame_after = "\n",
    .commands = nxos_commands};

const Manner junos{.greeting = "--- JUNOS 22.4R3-S2.11 built 2024-05-10 20:45:39 UTC\r\n",
                   .prompt = "{user}@{host}> ",
                   .unknown = "                ^\nunknown command.\n",
                   .more = "---(more)---",
                   .erase = "\r                                        \r",
                   .after_answer = "\n",
                   .commands = junos_commands};

const Manner fortios{.greeting = "",
                     .prompt = "{host} # ",
                     .context_prompt = "{host} ({context}) # ",
                     .unknown = "Unknown action 0\n\n",
                     .more = "--More-- ",
                     .erase = return_and_blanks,
                     .abbreviates = false,
                     .echo_end = "\r\r\n",
                     .after_answer = "\n",
                     .commands = fortios_commands};

const Manner frr{.greeting =
                     "\r\nHello, this is FRRouting (version 8.4.4).\r\n"
                     "Copyright 1996-2005 Kunihiro Ishiguro, et al.\r\n\r\n",
                 .prompt = "{host}# ",
                 .unknown = "% Unknown command: {line}\n",
                 .more = "--More-- ",
                 .erase = return_and_blanks,
                 .pages = false,
                 .frame_before = "Building configuration...\n\nCurrent configuration:\n",
                 .commands = frr_commands};

const Manner linux_host{
    .greeting = "Linux {host} 6.1.0-18-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 x86_64\r\n",
    .prompt = "{user}@{host}:~$ ",
    .unknown = "-bash: {line}: command not found\n",
    .more = "--More-- ",
    .erase = return_and_blanks,
    .pages = false,
    .abbreviates = false,
    .commands = linux_commands};

}  // namespace

const Manner& manner_of(Kind kind) {
  switch (kind) {
    case Kind::ios:
      return ios;
    case Kind::eos:
      return eos;
    case Kind::nxos:
      return nxos;
    case Kind::junos:
      return junos;
    case Kind::fortios:
      return fortios;
    case Kind::frr:
      return frr;
    case Kind::linux_host:
      return linux_host;
  }
  return ios;
}

std::string fill(std::string_view text, std::span<const Fill> fills) {
  std::string out;
  out.reserve(text.size() + 32);
  while (!text.empty()) {
    const std::size_t brace = text.find('{');
    out += text.substr(0, brace);
    if (brace == std::string_view::npos) break;
    text.remove_prefix(brace);
    bool known = false;
    for (const Fill& f : fills) {
      if (text.size() < f.name.size() + 2 || text.substr(1, f.name.size()) != f.name ||
          text[f.name.size() + 1] != '}')
        continue;
      out += f.value;
      text.remove_prefix(f.name.size() + 2);
      known = true;
      break;
    }
    if (!known) {
      out += '{';
      text.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace nightjar::lab
