"""What goes wrong around the program: one clear sentence, the right exit code, nothing half done."""
import os
import resource
import socket
import sqlite3
import unittest

from lab import Lab
from site_under_test import SiteTest


class Trouble(SiteTest):
    def refused(self, *words, says, **options):
        answer = self.run_site(*words, code=3, **options)
        self.assertIn(says, answer.err)
        self.assertEqual(len(answer.err.strip().splitlines()), 1, answer.err)
        self.assertNotIn("terminate called", answer.err)

    def test_unknown_things_are_named(self):
        self.run_site("customer", "add", "acme")
        self.refused("customer", "show", "acmee", says='"acmee"')
        self.refused("device", "show", "acme/core-01", says="core-01")
        self.refused("device", "add", "acme/core-01", "--address", "192.0.2.1", "--driver", "isos", says='"ios"')
        self.refused("device", "add", "acme/core-01", "--address", "192.0.2.1", "--driver", "ios", "--credential", "none",
                     says="none")
        self.refused("device", "add", "acme/core-01", "--address", "not an address", "--driver", "ios", says="address")
        self.assertEqual(self.run_site("device", "list", "--all", "--json").json, [])

    def test_a_bad_line_of_an_import_is_named_and_imports_nothing(self):
        self.run_site("customer", "add", "acme")
        path = os.path.join(self.site.folder, "devices.csv")
        with open(path, "w") as f:
            f.write("customer,name,address,port,driver,credential,tags\r\nacme,a,192.0.2.1,22,ios,,\r\nacme,b,192.0.2.2,99999,ios,,\r\n")
        answer = self.run_site("device", "import", path, code=3)
        self.assertIn("devices.csv:3:", answer.err)
        self.assertIn("99999", answer.err)
        self.assertEqual(self.run_site("device", "list", "--all", "--json").json, [])

    def test_an_unreadable_key_is_refused_when_it_is_given(self):
        path = os.path.join(self.site.folder, "key")
        with open(path, "w") as f:
            f.write("not a key\n")
        self.refused("credential", "add", "backup", "--username", "u", "--key", path, says="key")

    def test_a_database_of_a_newer_version_is_refused_with_both_versions(self):
        file = next(os.path.join(self.site.data, f) for f in os.listdir(self.site.data) if f.endswith(".db"))
        with sqlite3.connect(file) as db:
            ours = db.execute("PRAGMA user_version").fetchone()[0]
            db.execute("PRAGMA user_version = 4711")
        answer = self.run_site("customer", "list", code=3)
        self.assertIn("4711", answer.err)
        self.assertIn(str(ours), answer.err)

    def test_a_missing_key_file_is_a_clear_error(self):
        self.run_site("credential", "add", "backup", "--username", "u", "--password-stdin", typed=b"pw\n")
        for name in os.listdir(self.site.data):
            if "key" in name:
                os.remove(os.path.join(self.site.data, name))
        self.refused("credential", "add", "other", "--username", "u", "--password-stdin", typed=b"pw\n", says="key")

    def test_a_lab_port_in_use_is_named(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            self.refused("lab", "serve", "--devices", "1", "--base-port", str(port), says=str(port))

    def test_a_full_disk_is_our_fault_and_costs_no_earlier_revision(self):
        lab = Lab(self.site, [{"name": "core-01", "kind": "ios", "behaviour": "changes"}], {"config_bytes": 400000})
        self.addCleanup(lab.stop)
        lab.enrol()
        self.run_site("rule", "set", "--platform", "attempts=1")
        self.run_site("backup", "--all")
        before = self.run_site("config", "show", "acme/core-01").out

        def small_disk():
            resource.setrlimit(resource.RLIMIT_FSIZE, (32768, 32768))

        full = self.site.start("backup", "--all", "--json", preexec_fn=small_disk)
        out, err = full.communicate(timeout=120)
        self.assertIn(full.returncode, (1, 3), (out, err))
        self.assertNotIn(b'"outcome":"success"', out)
        self.assertEqual(self.run_site("config", "show", "acme/core-01").out, before)
        self.run_site("db", "check")

    def test_secrets_are_in_no_output_and_no_file_but_sealed(self):
        secret = b"Zx9-only-here"
        self.run_site("customer", "add", "acme")
        self.run_site("credential", "add", "acme/backup", "--username", "nightjar", "--password-stdin", typed=secret + b"\n")
        self.run_site("device", "add", "acme/core-01", "--address", "127.0.0.1", "--port", "1", "--driver", "ios",
                      "--credential", "acme/backup")
        self.run_site("rule", "set", "--platform", "attempts=1")
        said = self.run_site("backup", "--all", "--verbose", code=1)
        for command in (("credential", "list", "--json"), ("device", "show", "acme/core-01", "--json"),
                        ("series", "list", "--json")):
            self.assertNotIn(secret, self.run_site(*command).out)
        self.assertNotIn(secret.decode(), said.text + said.err)
        for folder, _, names in os.walk(self.site.data):
            for name in names:
                with open(os.path.join(folder, name), "rb") as f:
                    self.assertNotIn(secret, f.read(), name)

    def test_two_backups_at_once_never_talk_to_a_device_twice_at_a_time(self):
        lab = Lab(self.site, [{"name": "core-{n}", "count_devices": 5, "kind": "ios",
                               "behaviours": [{"behaviour": "slow", "think_ms": 300}]}])
        self.addCleanup(lab.stop)
        lab.enrol()
        both = [self.background("backup", "--all", "--json") for _ in range(2)]
        codes = [p.wait(timeout=120) for p in both]
        self.assertTrue(set(codes) <= {0, 2}, codes)
        for device in ("core-1", "core-2", "core-3", "core-4", "core-5"):
            visits = sorted((v["mono_ms"] - v["duration_ms"], v["mono_ms"]) for v in lab.visits(device))
            for earlier, later in zip(visits, visits[1:]):
                self.assertLessEqual(earlier[1], later[0])
            self.assertGreaterEqual(len(visits), 1)


if __name__ == "__main__":
    unittest.main()
