// Configurations of the kinds with a language of their own.
#include "lab/config_text.hpp"

namespace nightjar::lab {

void write_junos(Draft& d) {
  d.line("## Last commit: {} by {}", d.read_at("%Y-%m-%d %H:%M:%S UTC"), d.device.username);
  d.line("version 22.4R3-S2.11;\nsystem {{\n    host-name {};", d.device.shown_name());
  d.line("    root-authentication {{\n        encrypted-password \"$6${}${}\"; ## SECRET-DATA\n    }}",
         d.choose.hex(8), d.choose.hex(86));
  d.line("    services {{\n        ssh;\n        netconf {{\n            ssh;\n        }}\n    }}");
  d.line("    ntp {{\n        server 203.0.113.{};\n    }}\n}}\ninterfaces {{", 1 + d.choose.below(250));
  for (unsigned port = 0; d.wants_more(); ++port) {
    d.line("    ge-{}/0/{} {{", port / 48, port % 48);
    if (port == 0 && d.changes > 0)
      d.line("        description \"change {}\";", d.changes);
    else
      d.line("        description \"{} {:03}\";", d.purpose(), d.choose.below(1000));
    d.line("        unit 0 {{\n            family ethernet-switching {{\n                vlan {{");
    d.line("                    members vlan-{};\n                }}\n            }}\n        }}\n    }}",
           10 * (1 + d.choose.below(6)));
  }
  d.line("    irb {{\n        unit 10 {{\n            family inet {{\n                address 192.0.2.{}/24;",
         1 + d.choose.below(250));
  d.line(
      "            }}\n        }}\n    }}\n}}\nprotocols {{\n    rstp {{\n        interface all;\n    "
      "}}\n}}");
}

void write_fortios(Draft& d) {
  d.line("#config-version=FGT91G-7.4.7-FW-build2731-250120:opmode=0:vdom=0:user={}", d.device.username);
  d.line("#conf_file_ver={}\n#buildno=2731\n#global_vdom=1",
         440'000'000'000'000LL + 1'000 * d.changes + d.reading);
  d.line("config system global\n    set alias \"{}\"\n    set hostname \"{}\"", d.device.shown_name(),
         d.device.shown_name());
  d.line(
      "    set timezone \"UTC\"\nend\nconfig system admin\n    edit \"{}\"\n        set accprofile "
      "\"super_admin\"",
      d.device.username);
  Choices salt(fmt::format("{} {}", d.device.name, d.reading));  // anew at each showing, as the real ones do
  d.line("        set password ENC {}\n    next\nend\nconfig firewall address", salt.hex(64));
  for (unsigned item = 1; d.wants_more(); ++item) {
    d.line("    edit \"{} {:04}\"", d.purpose(), item);
    if (item == 1 && d.changes > 0) d.line("        set comment \"change {}\"", d.changes);
    d.line("        set subnet 198.51.100.{} 255.255.255.255\n    next", d.choose.below(256));
  }
  d.line(
      "end\nconfig firewall policy\n    edit 1\n        set name \"inside to outside\"\n        set srcintf "
      "\"internal\"");
  d.line(
      "        set dstintf \"wan1\"\n        set action accept\n        set srcaddr \"all\"\n        set "
      "dstaddr \"all\"");
  d.line(
      "        set schedule \"always\"\n        set service \"ALL\"\n        set nat enable\n    next\nend");
  d.line(
      "config router static\n    edit 1\n        set gateway 192.0.2.254\n        set device \"wan1\"\n    "
      "next\nend");
}

void write_linux(Draft& d) {
  d.line("# {}: network interfaces, see interfaces(5)", d.device.shown_name());
  d.line("source /etc/network/interfaces.d/*\n\nauto lo\niface lo inet loopback");
  d.line("\nauto eth0\niface eth0 inet static\n    address 192.0.2.{}/24\n    gateway 192.0.2.254",
         1 + d.choose.below(250));
  for (unsigned vlan = 100; d.wants_more(); ++vlan) {
    if (vlan == 100 && d.changes > 0)
      d.line("\n# change {}", d.changes);
    else
      d.line("\n# {}", d.purpose());
    d.line("auto eth0.{}\niface eth0.{} inet static\n    address 203.0.113.{}/31", vlan, vlan,
           2 * d.choose.below(127));
  }
}

}  // namespace nightjar::lab
