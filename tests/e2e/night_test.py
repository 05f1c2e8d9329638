"""A night of a mixed fleet under the daemon: every outcome as the plan of the lab says, every wait as it was decided, also when the
daemon is killed again and again. NIGHTJAR_NIGHT_DEVICES (40) and NIGHTJAR_NIGHT_KILLS (4) make it larger by hand."""
import os
import random
import signal
import sqlite3
import time
import unittest
from collections import Counter
from datetime import datetime

from daemon import Daemon, set_back
from lab import Lab
from site_under_test import SiteTest

DEVICES = int(os.environ.get("NIGHTJAR_NIGHT_DEVICES", "40"))
KILLS = int(os.environ.get("NIGHTJAR_NIGHT_KILLS", "4"))
SESSIONS = 40


def at(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def fleet():
    """10 % flaky, 5 % dead, 2 % hanging, 1 % with another password (at least one of each), the rest fine."""
    devices, expected = [], {}
    share = {"flaky": max(1, DEVICES // 10), "dead": max(1, DEVICES // 20), "hangs": max(1, DEVICES // 50), "wrong": max(1, DEVICES // 100)}
    behaviours = {"flaky": {"behaviour": "refuse_first", "count": 1}, "dead": {"behaviour": "dead"}, "hangs": {"behaviour": "hang_command"},
                  "wrong": {"behaviour": "wrong_password"}}
    ends = {"flaky": ("succeeded", None, 2), "dead": ("failed", "exhausted", 2), "hangs": ("failed", "exhausted", 2),
            "wrong": ("failed", "permanent", 1)}
    for kind, count in share.items():
        for i in range(count):
            devices.append({"name": f"{kind}-{i:03}", "kind": "ios", **behaviours[kind]})
            expected[f"{kind}-{i:03}"] = ends[kind]
    for i in range(DEVICES - len(devices)):
        devices.append({"name": f"fine-{i:03}", "kind": random.choice(["ios", "eos", "junos", "fortios"])})
        expected[f"fine-{i:03}"] = ("succeeded", None, 1)
    # Twenty unreachable ones in a row would open the breaker, as they should.
    random.Random(11).shuffle(devices)
    return devices, expected


class Night(SiteTest):
    def setUp(self):
        super().setUp()
        devices, self.expected = fleet()
        self.lab = Lab(self.site, devices)
        self.addCleanup(self.lab.stop)
        self.lab.enrol()
        self.run_site("rule", "set", "--platform", "attempts=2", "delay_seconds=3", "attempt_timeout_seconds=10")
        self.run_site("schedule", "set", "--platform", "cron=0 * * * *", "catch_up_seconds=7200")
        config = os.path.join(self.site.folder, "nightjar.toml")
        with open(config, "w") as f:
            f.write(f"[limits]\nsessions = {SESSIONS}\nsessions_per_customer = {SESSIONS}\nretries_per_second = 1000\n")
        self.site.environment["NIGHTJAR_CONFIG"] = config
        set_back(self.site, 3600)

    def daemon(self):
        daemon = Daemon(self.site)
        self.addCleanup(daemon.process.communicate)
        self.addCleanup(lambda: daemon.process.poll() is None and daemon.process.send_signal(signal.SIGKILL))
        return daemon

    def open_series(self):
        with sqlite3.connect(f"file:{self.site.data}/nightjar.db?mode=ro", uri=True, timeout=30) as db:
            opened, still = db.execute("SELECT count(*), coalesce(sum(ended_ms IS NULL), 0) FROM series").fetchone()
        db.close()
        return None if opened < len(self.expected) else still

    def check(self, daemons):
        rows = self.run_site("series", "list", "--all", "--json", "--limit", "100000").json
        self.assertEqual(Counter(r["device"] for r in rows), Counter(self.expected.keys()), "one series a device")
        for row in rows:
            shown = self.run_site("series", "show", str(row["id"]), "--json").json
            state, end, tries = self.expected[row["device"]]
            counted = [a for a in shown["attempt_list"] if a["outcome"] != "interrupted"]
            # A refusal that the kill swallowed was still a visit: a flaky device may be fine a try earlier.
            interrupted = len(shown["attempt_list"]) - len(counted)
            # The third interruption and each later one count as a failed attempt: that can use up the two there are.
            charged = max(0, interrupted - 2)
            if charged and (row["state"], row["class"]) == ("failed", "local"):
                self.assertEqual((row["end"], len(counted) + charged), ("exhausted", 2), shown)
                continue
            self.assertEqual((row["state"], row["end"]), (state, end), shown)
            self.assertLessEqual(len(counted) + charged, 2, shown)
            self.assertLessEqual(len(counted), tries, shown)
            if not interrupted:
                self.assertEqual(len(counted), tries, shown)
            self.assertLessEqual(interrupted, 2 + daemons)
            for before, after in zip(shown["attempt_list"], shown["attempt_list"][1:]):
                due = at(before["decision"]["next_attempt_at"])
                self.assertGreaterEqual((at(after["started_at"]) - due).total_seconds(), -1, "not before it was decided")
                if daemons == 1:
                    late = (at(after["started_at"]) - due).total_seconds() - after["queued_ms"] / 1000
                    self.assertLess(abs(late), 2, shown)
        events = self.lab_events()
        sessions = most = 0
        busy = Counter()
        for event in events:
            step = 1 if event["event"] == "opened" else -1
            sessions += step
            busy[event["device"]] += step
            most = max(most, sessions)
            self.assertLessEqual(busy[event["device"]], 1 if daemons == 1 else 2, event)
        self.assertLessEqual(most, SESSIONS if daemons == 1 else 2 * SESSIONS)

    def lab_events(self):
        import json
        with open(self.lab.log_file) as f:
            events = [json.loads(line) for line in f if line.endswith("\n")]
        return [e for e in events if e["event"] in ("opened", "closed")]

    def test_every_outcome_is_as_the_plan_says(self):
        daemon = self.daemon().ready()
        self.wait_until_all_ended(lambda: daemon.process.poll() is None)
        self.assertEqual(daemon.stop(), 0)
        self.check(1)

    def test_killed_again_and_again_it_ends_with_the_same_outcomes(self):
        dice = random.Random(7)
        for _ in range(KILLS):
            daemon = self.daemon()
            time.sleep(dice.uniform(0.1, 2.5))  # the moment of the kill, not a wait for anything
            self.assertEqual(daemon.stop(signal.SIGKILL), -signal.SIGKILL)
        daemon = self.daemon().ready()
        self.wait_until_all_ended(lambda: daemon.process.poll() is None)
        self.assertEqual(daemon.stop(), 0)
        self.check(KILLS + 1)

    def wait_until_all_ended(self, goes_on, seconds=250):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and goes_on():
            if self.open_series() == 0:
                return
            time.sleep(0.2)
        self.fail(f"still open: {self.open_series()}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
