// Configurations of the kinds whose CLI descends from IOS.
#include "lab/config_text.hpp"

namespace nightjar::lab {

void write_ios(Draft& d) {
  const std::string& name = d.device.shown_name();
  d.line("!\n! Last configuration change at {} by {}", d.changed_at("%H:%M:%S UTC %a %b %e %Y"),
         d.device.username);
  d.line("! NVRAM config last updated at {} by {}\n!", d.read_at("%H:%M:%S UTC %a %b %e %Y"),
         d.device.username);
  d.line(
      "version 15.2\nno service pad\nservice timestamps debug datetime msec\nservice password-encryption\n!");
  d.line("hostname {}\n!\nboot-start-marker\nboot-end-marker\n!", name);
  d.line("enable secret 9 $9${}${}", d.choose.hex(14), d.choose.hex(43));
  d.line("!\nusername {} privilege 15 secret 9 $9${}${}", d.device.username, d.choose.hex(14),
         d.choose.hex(43));
  d.line("no aaa new-model\nclock timezone UTC 0 0\nip domain-name {}.example\n!", d.device.customer);
  d.line("spanning-tree mode rapid-pvst\nspanning-tree extend system-id\n!");
  for (int vlan = 10; vlan <= 60; vlan += 10) d.line("vlan {}\n name {}-{}\n!", vlan, d.purpose(), vlan);
  for (unsigned port = 1; d.wants_more(); ++port) {
    d.line("interface GigabitEthernet{}/0/{}", 1 + (port - 1) / 48, 1 + (port - 1) % 48);
    if (port == 1 && d.changes > 0)
      d.line(" description ## change {} of {} ##", d.changes, name);
    else
      d.line(" description {} {:03}", d.purpose(), d.choose.below(1000));
    if (d.choose.below(8) == 0)
      d.line(" switchport mode trunk\n switchport nonegotiate");
    else
      d.line(" switchport access vlan {}\n switchport mode access\n spanning-tree portfast",
             10 * (1 + d.choose.below(6)));
    d.line("!");
  }
  d.line("interface Vlan10\n ip address 192.0.2.{} 255.255.255.0\n!", 1 + d.choose.below(250));
  d.line("ip default-gateway 192.0.2.254\nno ip http server\n!\nip access-list standard MANAGEMENT");
  d.line(" permit 198.51.100.0 0.0.0.255\n deny   any log\n!");
  d.line("snmp-server community {} RO MANAGEMENT\nsnmp-server location {}# rack {}\n!", d.choose.hex(12),
         name, 1 + d.choose.below(40));
  d.line("banner login ^C\nAuthorised use only # {} >\n^C\n!", name);
  d.line(
      "line con 0\n logging synchronous\nline vty 0 4\n access-class MANAGEMENT in\n login local\n transport "
      "input ssh\n!");
  d.line("ntp server 203.0.113.{}\n!\nend", 1 + d.choose.below(250));
}

void write_eos(Draft& d) {
  const std::string& name = d.device.shown_name();
  d.line("! Command: show running-config\n! Time: {}", d.read_at("%a %b %e %H:%M:%S %Y"));
  d.line("! device: {} (vEOS-lab, EOS-4.33.1F)\n!\n! boot system flash:/vEOS-lab.swi\n!", name);
  d.line("no aaa root\n!\nusername {} privilege 15 role network-admin secret sha512 $6${}${}\n!",
         d.device.username, d.choose.hex(16), d.choose.hex(86));
  d.line(
      "transceiver qsfp default-mode 4x10G\n!\nservice routing protocols model multi-agent\n!\nhostname "
      "{}\n!",
      name);
  d.line("spanning-tree mode mstp\n!");
  for (int vlan = 10; vlan <= 60; vlan += 10) d.line("vlan {}\n   name {}-{}\n!", vlan, d.purpose(), vlan);
  for (unsigned port = 1; d.wants_more(); ++port) {
    d.line("interface Ethernet{}", port);
    if (port == 1 && d.changes > 0)
      d.line("   description change {}", d.changes);
    else
      d.line("   description {} {:03}", d.purpose(), d.choose.below(1000));
    if (d.choose.below(8) == 0)
      d.line("   no switchport\n   ip address 203.0.113.{}/31", 2 * d.choose.below(127));
    else
      d.line("   switchport access vlan {}\n   spanning-tree portfast", 10 * (1 + d.choose.below(6)));
    d.line("!");
  }
  d.line("interface Management1\n   ip address 192.0.2.{}/24\n!\nip routing\n!", 1 + d.choose.below(250));
  d.line("ip route 0.0.0.0/0 192.0.2.254\n!\nntp server 203.0.113.{}\n!\nend", 1 + d.choose.below(250));
}

void write_nxos(Draft& d) {
  const std::string& name = d.device.shown_name();
  d.line("!Command: show running-config\n!Running configuration last done at: {}",
         d.changed_at("%a %b %e %H:%M:%S %Y"));
  d.line("!Time: {}\n\nversion 10.4(5) Bios:version 01.11", d.read_at("%a %b %e %H:%M:%S %Y"));
  d.line("hostname {}\nvdc {} id 1\n  limit-resource vlan minimum 16 maximum 4094\n", name, name);
  d.line("feature ospf\nfeature lacp\nfeature lldp\n");
  d.line("username {} password 5 $5${}${}  role network-admin", d.device.username, d.choose.hex(8),
         d.choose.hex(43));
  d.line("no password strength-check\nip domain-lookup\n");
  for (int vlan = 10; vlan <= 60; vlan += 10) d.line("vlan {}\n  name {}-{}", vlan, d.purpose(), vlan);
  for (unsigned port = 1; d.wants_more(); ++port) {
    d.line("\ninterface Ethernet{}/{}", 1 + (port - 1) / 48, 1 + (port - 1) % 48);
    if (port == 1 && d.changes > 0)
      d.line("  description change {}", d.changes);
    else
      d.line("  description {} {:03}", d.purpose(), d.choose.below(1000));
    d.line("  switchport access vlan {}\n  spanning-tree port type edge\n  no shutdown",
           10 * (1 + d.choose.below(6)));
  }
  d.line("\ninterface mgmt0\n  vrf member management\n  ip address 192.0.2.{}/24", 1 + d.choose.below(250));
  d.line("\nline console\n  exec-timeout 15\nline vty\nboot nxos bootflash:/nxos64-cs.10.4.5.M.bin");
  d.line("ntp server 203.0.113.{} use-vrf management", 1 + d.choose.below(250));
}

void write_frr(Draft& d) {
  d.line("!\nfrr version 8.4.4\nfrr defaults traditional\nhostname {}", d.device.shown_name());
  d.line("log syslog informational\nservice integrated-vtysh-config\n!");
  for (unsigned port = 0; d.wants_more(); ++port) {
    d.line("interface swp{}", port);
    if (port == 0 && d.changes > 0)
      d.line(" description change {}", d.changes);
    else
      d.line(" description {} {:03}", d.purpose(), d.choose.below(1000));
    d.line(" ip address 203.0.113.{}/31\n ip ospf area 0.0.0.{}\nexit\n!", 2 * d.choose.below(127),
           d.choose.below(4));
  }
  d.line("router bgp 64512\n neighbor 192.0.2.{} remote-as 64513\nexit\n!\nend", 1 + d.choose.below(250));
}

}  // namespace nightjar::lab
