"""A real network OS and a plain Linux host behind OpenSSH: what is stored is what they say, byte for byte."""
import getpass
import re
import unittest

from frr import Frr
from site_under_test import SiteTest, summary
from sshd import OpenSsh


def without_framing(text):
    """What the frr driver documents as the command's wrapping: the two head lines and the blanks around them."""
    return re.sub(rb"\ABuilding configuration\.\.\.\n\nCurrent configuration:\n", b"", text)


class RealSystems(SiteTest):
    def add_device(self, server, name, driver):
        self.run_site("customer", "add", "kestrel", code=None)
        self.run_site("credential", "add", "kestrel/" + name, "--username", getpass.getuser(), "--key", server.key)
        self.run_site("device", "add", "kestrel/" + name, "--address", "127.0.0.1", "--port", str(server.port), "--driver",
                      driver, "--credential", "kestrel/" + name)

    def test_frrouting_behind_openssh_is_stored_byte_for_byte(self):
        frr = Frr()
        self.addCleanup(frr.stop)
        server = OpenSsh(forced=frr.shell)
        self.addCleanup(server.stop)
        self.add_device(server, "edge-01", "frr")
        done = self.run_site("backup", "--all", "--json")
        self.assertEqual(summary(done)["succeeded"], 1)
        stored = self.run_site("config", "show", "kestrel/edge-01").out
        said = without_framing(frr.vtysh("show running-config"))
        facts = b"".join(line for line in stored.splitlines(True) if re.match(rb"! version: ", line))
        self.assertEqual(stored, facts + said)
        self.assertIn(b"## TRUNK TO HQ 2 #\n", stored)

        again = self.run_site("backup", "--all", "--json")
        self.assertEqual(summary(again)["unchanged"], 1)
        self.assertEqual(len(self.run_site("config", "history", "kestrel/edge-01", "--json").json), 1)

    def test_a_plain_linux_host_is_backed_up(self):
        server = OpenSsh()
        self.addCleanup(server.stop)
        self.add_device(server, "host-01", "linux")
        done = self.run_site("backup", "--device", "kestrel/host-01", "--json")
        self.assertEqual(summary(done)["succeeded"], 1)
        stored = self.run_site("config", "show", "kestrel/host-01").out
        with open("/etc/os-release", "rb") as f:
            self.assertIn(f.readline().strip(), stored)
        self.assertNotIn(b"\x1b", stored)

    def test_a_changed_host_key_is_refused_until_it_is_accepted(self):
        server = OpenSsh()
        self.addCleanup(server.stop)
        self.add_device(server, "host-01", "linux")
        self.run_site("backup", "--all")
        server.new_host_key()
        refused = self.run_site("backup", "--all", "--json", code=1)
        ended = [e for e in refused.lines if e["event"] == "attempt.ended"]
        self.assertEqual([(e["class"], e["stage"]) for e in ended], [("host_key", "host_key")])
        self.assertEqual(len(re.findall(r"SHA256:", ended[0]["reason"])), 2)
        self.run_site("hostkey", "forget", "kestrel/host-01")
        self.assertEqual(summary(self.run_site("backup", "--all", "--json"))["succeeded"], 1)


if __name__ == "__main__":
    unittest.main()
