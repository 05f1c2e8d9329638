"""Whole series against simulated devices over real SSH: retried by rule, told apart, and nothing forgotten by a kill -9."""
import signal
import time
import unittest
from datetime import datetime

from lab import Lab
from site_under_test import SiteTest, summary


def at(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


class Series(SiteTest):
    def lab(self, *devices, **defaults):
        lab = Lab(self.site, list(devices), defaults)
        self.addCleanup(lab.stop)
        lab.enrol()
        return lab

    def rule(self, *fields):
        self.run_site("rule", "set", "--platform", *fields)

    def only_series(self, device):
        rows = self.run_site("series", "list", "--device", "acme/" + device, "--json").json
        self.assertEqual(len(rows), 1, rows)
        return self.run_site("series", "show", str(rows[0]["id"]), "--json").json

    def test_a_device_that_fails_twice_then_works_is_one_succeeded_series(self):
        self.lab({"name": "core-01", "kind": "ios", "behaviour": "refuse_first", "count": 2})
        self.rule("attempts=3", "delay_seconds=1", "backoff=2")
        done = self.run_site("backup", "--all", "--json")
        total = summary(done)
        self.assertEqual((total["series"], total["succeeded"], total["failed"], total["recovered_by_retry"]), (1, 1, 0, 1))
        series = self.only_series("core-01")
        self.assertEqual(series["state"], "succeeded")
        self.assertEqual([a["outcome"] for a in series["attempt_list"]], ["failure", "failure", "success"])
        self.assertEqual([a["decision"]["wait_seconds"] for a in series["attempt_list"][:2]], [1, 2])
        self.assertEqual(series["attempt_list"][0]["decision"]["rule"]["attempts"],
                         {"value": 3, "origin": "platform", "origin_name": None})

    def test_a_device_that_always_fails_is_one_exhausted_series_with_the_waits_of_the_rule(self):
        lab = self.lab({"name": "core-01", "kind": "ios", "behaviour": "reset"})
        self.rule("attempts=3", "delay_seconds=1", "backoff=2")
        done = self.run_site("backup", "--all", "--json", code=1)
        self.assertEqual(summary(done)["failed"], 1)
        series = self.only_series("core-01")
        self.assertEqual((series["state"], series["end"], series["attempts"]), ("failed", "exhausted", 3))
        for attempt in series["attempt_list"]:
            self.assertEqual(attempt["class"], "dropped", attempt)
            self.assertEqual(attempt["stage"], "handshake")
            self.assertTrue(attempt["reason"])
            self.assertEqual(attempt["transport"], "ssh")
        self.assertEqual([a["decision"]["action"] for a in series["attempt_list"]], ["retry", "retry", "end"])
        seen = [at(e["at"]) for e in lab.opened("core-01")]
        self.assertEqual(len(seen), 3)
        waits = [(b - a).total_seconds() for a, b in zip(seen, seen[1:])]
        for wait, ruled in zip(waits, (1, 2)):
            self.assertGreaterEqual(wait, ruled - 0.01)
            self.assertLess(wait, ruled + 1)

    def test_a_dead_device_is_unreachable(self):
        self.lab({"name": "core-01", "kind": "ios", "behaviour": "dead"})
        self.rule("attempts=2", "delay_seconds=1")
        self.run_site("backup", "--all", code=1)
        series = self.only_series("core-01")
        self.assertEqual((series["class"], series["stage"], series["end"]), ("unreachable", "connect", "exhausted"))
        self.assertIn("connection refused by 127.0.0.1:", series["reason"])

    def test_a_wrong_password_is_one_login_one_attempt_and_permanent(self):
        lab = self.lab({"name": "core-01", "kind": "ios", "behaviour": "wrong_password"})
        self.rule("attempts=5", "delay_seconds=1")
        self.run_site("backup", "--all", code=1)
        series = self.only_series("core-01")
        self.assertEqual((series["end"], series["attempts"], series["class"], series["stage"]), ("permanent", 1, "auth", "auth"))
        visits = lab.visits("core-01")
        self.assertEqual(len(visits), 1)
        tries = [login for login in visits[0]["logins"] if login["method"] != "none"]
        self.assertEqual(len(tries), 1, visits)

    def test_every_kind_of_device_is_stored_whole_and_unchanged_the_second_time(self):
        kinds = ["ios", "eos", "nxos", "junos", "fortios", "frr", "linux"]
        self.lab(*[{"name": kind + "-01", "kind": kind} for kind in kinds])
        first = summary(self.run_site("backup", "--all", "--json"))
        self.assertEqual((first["succeeded"], first["changed"]), (len(kinds), len(kinds)))
        second = summary(self.run_site("backup", "--all", "--json"))
        self.assertEqual((second["succeeded"], second["unchanged"]), (len(kinds), len(kinds)))

    def test_no_wrong_text_is_ever_stored(self):
        bad = {"truncated": "incomplete", "drop_mid_config": "dropped", "vty_full": "busy"}
        self.lab(*[{"name": b.replace("_", "-"), "kind": "ios", "behaviour": b} for b in bad],
                 {"name": "banner", "kind": "ios", "behaviour": "banner"},
                 {"name": "pager", "kind": "ios", "behaviour": "pager_always"},
                 {"name": "noisy", "kind": "ios", "behaviour": "noisy"})
        self.rule("attempts=1")
        self.run_site("backup", "--all", code=1)
        for behaviour, failure_class in bad.items():
            series = self.only_series(behaviour.replace("_", "-"))
            self.assertEqual((series["state"], series["class"]), ("failed", failure_class), series)
            self.assertEqual(self.run_site("config", "history", "acme/" + behaviour.replace("_", "-"), "--json").json, [])
        for device in ("banner", "pager", "noisy"):
            text = self.run_site("config", "show", "acme/" + device).out
            self.assertTrue(text.rstrip().endswith(b"end"), text[-80:])
            self.assertNotIn(b"More", text)
        again = self.run_site("backup", "--device", "acme/noisy", "--json")
        self.assertEqual(summary(again)["unchanged"], 1)

    def test_killed_while_series_wait_nothing_is_lost(self):
        lab = self.lab({"name": "core-01", "kind": "ios", "behaviour": "refuse_first", "count": 1})
        self.rule("attempts=3", "delay_seconds=2")
        running = self.background("backup", "--all", "--json")
        for line in running.stdout:
            if b'"attempt.ended"' in line:
                break
        running.send_signal(signal.SIGKILL)
        running.wait()
        before = self.only_series("core-01")
        self.assertEqual((before["state"], before["attempts"]), ("retry_wait", 1))
        due = before["next_attempt_at"]
        done = self.run_site("backup", "--resume", "--json")
        self.assertEqual(summary(done)["recovered_by_retry"], 1)
        after = self.only_series("core-01")
        self.assertEqual([a["number"] for a in after["attempt_list"]], [1, 2])
        self.assertGreaterEqual(at(after["attempt_list"][1]["started_at"]), at(due))
        self.assertEqual(len(lab.opened("core-01")), 2)

    def test_killed_while_an_attempt_runs_it_is_interrupted_and_does_not_count(self):
        lab = self.lab({"name": "core-01", "kind": "ios", "behaviour": "hang_command", "count": 1})
        self.rule("attempts=1")
        running = self.background("backup", "--all", "--json")
        for line in running.stdout:
            if b'"attempt.started"' in line:
                break
        deadline = time.monotonic() + 60
        while not lab.opened("core-01") and time.monotonic() < deadline:
            time.sleep(0.02)
        running.send_signal(signal.SIGKILL)
        running.wait()
        series = self.only_series("core-01")
        self.assertEqual([a["outcome"] for a in series["attempt_list"]], ["interrupted"])
        self.assertIn(series["state"], ("pending", "retry_wait"))
        done = self.run_site("backup", "--resume", "--json")
        self.assertEqual(summary(done)["succeeded"], 1)
        self.assertEqual([a["outcome"] for a in self.only_series("core-01")["attempt_list"]], ["interrupted", "success"])

    def test_control_c_leaves_everything_recorded(self):
        self.lab({"name": "core-01", "kind": "ios", "behaviour": "hang_command", "count": 1})
        running = self.background("backup", "--all", "--json")
        for line in running.stdout:
            if b'"attempt.started"' in line:
                break
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)
        self.assertEqual(running.returncode, 130)
        series = self.only_series("core-01")
        self.assertEqual([a["outcome"] for a in series["attempt_list"]], ["interrupted"])
        self.assertEqual(summary(self.run_site("backup", "--resume", "--json"))["succeeded"], 1)

    def test_nothing_selected_is_nothing_to_do(self):
        self.run_site("backup", "--all", code=2)
        self.run_site("backup", "--resume", code=2)


if __name__ == "__main__":
    unittest.main()
