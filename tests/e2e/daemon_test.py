"""The daemon against simulated devices over real SSH: schedules, retries, other processes beside it, its life and death."""
import signal
import time
import unittest
from datetime import datetime

from daemon import Daemon, set_back
from lab import Lab
from site_under_test import SiteTest, summary


def at(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


class DaemonTest(SiteTest):
    def lab(self, *devices, **defaults):
        lab = Lab(self.site, list(devices), defaults)
        self.addCleanup(lab.stop)
        lab.enrol()
        return lab

    def daemon(self, *words):
        daemon = Daemon(self.site, *words)

        def end():
            if daemon.process.poll() is None:
                daemon.process.send_signal(signal.SIGKILL)
            daemon.process.communicate()

        self.addCleanup(end)
        return daemon.ready()

    def rule(self, *fields):
        self.run_site("rule", "set", "--platform", *fields)

    def series(self, *words):
        return self.run_site("series", "list", "--all", "--json", *words).json

    def shown(self, row):
        return self.run_site("series", "show", str(row["id"]), "--json").json

    def wait_until(self, holds, seconds=60):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if holds():
                return
            time.sleep(0.05)
        self.fail(f"did not come true within {seconds} s: {self.series()}")

    def test_a_second_daemon_on_the_same_data_refuses_and_names_the_first(self):
        first = self.daemon()
        second = self.run_site("serve", "--listen", "none", code=3)
        self.assertIn(f"pid {first.process.pid}", second.err)
        first.stop(signal.SIGKILL)
        self.daemon()

    def test_a_firing_that_passed_is_caught_up_once_and_older_ones_are_missed(self):
        self.lab({"name": "core-01", "kind": "ios"})
        self.run_site("schedule", "set", "--customer", "acme", "cron=0 * * * *", "catch_up_seconds=7200")
        set_back(self.site, 3 * 3600)
        daemon = self.daemon()
        daemon.wait_for("series.ended", state="succeeded")
        rows = self.series()
        self.assertEqual(sorted(r["state"] for r in rows), ["missed", "missed", "succeeded"])
        newest = max(rows, key=lambda r: r["scheduled_for"])
        self.assertEqual((newest["state"], newest["trigger"]), ("succeeded", "schedule"))
        self.assertEqual(len({r["scheduled_for"] for r in rows}), 3)
        daemon.stop()
        self.daemon()  # nothing fires twice
        self.assertEqual(len(self.series()), 3)

    def test_a_manual_backup_is_handed_over_and_followed(self):
        self.lab({"name": "core-01", "kind": "ios", "behaviour": "refuse_first", "count": 1}, {"name": "core-02", "kind": "eos"})
        self.rule("attempts=3", "delay_seconds=1")
        daemon = self.daemon()
        done = self.run_site("backup", "--all", "--json")
        total = summary(done)
        self.assertEqual((total["series"], total["succeeded"], total["recovered_by_retry"]), (2, 2, 1))
        ended = [e for e in done.lines if e["event"] == "attempt.ended" and e["device"] == "core-01"]
        self.assertEqual([e["outcome"] for e in ended], ["failure", "success"])
        daemon.wait_for("series.ended", device="core-01")

    def test_who_stops_following_stops_nothing(self):
        lab = self.lab({"name": "core-01", "kind": "ios", "behaviour": "refuse_first", "count": 1})
        self.rule("attempts=2", "delay_seconds=2")
        daemon = self.daemon()
        looking_on = self.background("backup", "--all", "--json")
        for line in looking_on.stdout:
            if b'"attempt.ended"' in line:
                break
        looking_on.send_signal(signal.SIGINT)
        self.assertEqual(looking_on.wait(timeout=30), 130)
        daemon.wait_for("series.ended", state="succeeded")
        self.assertEqual(len(lab.opened("core-01")), 2)

    def test_a_running_attempt_is_cancelled_at_once(self):
        lab = self.lab({"name": "core-01", "kind": "ios", "behaviour": "hang_command"})
        daemon = self.daemon()
        looking_on = self.background("backup", "--all", "--json")
        self.wait_until(lambda: lab.opened("core-01"))
        row = self.series("--open")[0]
        before = time.monotonic()
        self.run_site("series", "cancel", str(row["id"]))
        ended = daemon.wait_for("series.ended")
        self.assertEqual(ended["state"], "cancelled")
        self.assertLess(time.monotonic() - before, 15)
        looking_on.wait(timeout=30)
        attempt = self.shown(row)["attempt_list"][0]
        self.assertEqual(attempt["outcome"], "cancelled")

    def test_an_edited_rule_counts_from_the_next_decision_on(self):
        self.lab({"name": "core-01", "kind": "ios", "behaviour": "dead"})
        self.rule("attempts=3", "delay_seconds=3", "backoff=1")
        daemon = self.daemon()
        looking_on = self.background("backup", "--all", "--json")
        daemon.wait_for("attempt.ended")
        self.rule("attempts=2", "delay_seconds=50")
        daemon.wait_for("series.ended", state="failed")
        looking_on.wait(timeout=30)
        first, second = self.shown(self.series()[0])["attempt_list"]
        self.assertEqual((first["decision"]["wait_seconds"], first["decision"]["rule"]["attempts"]["value"]), (3, 3))
        self.assertGreaterEqual((at(second["started_at"]) - at(first["ended_at"])).total_seconds(), 2)
        self.assertEqual((second["decision"]["action"], second["decision"]["rule"]["attempts"]["value"]), ("end", 2))

    def test_killed_at_work_it_goes_on_where_it_stopped(self):
        lab = self.lab({"name": "core-01", "kind": "ios", "behaviour": "hang_command", "count": 1},
                       {"name": "core-02", "kind": "ios", "behaviour": "refuse_first", "count": 1})
        self.rule("attempts=2", "delay_seconds=2")
        self.run_site("schedule", "set", "--platform", "cron=0 * * * *", "catch_up_seconds=7200")
        set_back(self.site, 3600)
        daemon = self.daemon()
        daemon.wait_for("attempt.ended", device="core-02")
        self.wait_until(lambda: lab.opened("core-01"))
        daemon.stop(signal.SIGKILL)
        again = self.daemon()
        self.wait_until(lambda: not self.series("--open"))
        rows = {r["device"]: self.shown(r) for r in self.series()}
        self.assertEqual([a["outcome"] for a in rows["core-01"]["attempt_list"]], ["interrupted", "success"])
        self.assertEqual([a["outcome"] for a in rows["core-02"]["attempt_list"]], ["failure", "success"])
        self.assertEqual(len(rows), 2)
        self.assertEqual(again.stop(), 0)

    def test_stopped_it_lets_attempts_finish_and_records_the_rest_as_interrupted(self):
        lab = self.lab({"name": "quick", "kind": "ios", "behaviour": "slow", "delay_ms": 2},
                       {"name": "hangs", "kind": "ios", "behaviour": "hang_command"})
        daemon = self.daemon("--grace", "5")
        looking_on = self.background("backup", "--all", "--json")
        self.wait_until(lambda: lab.opened("quick") and lab.opened("hangs"))
        self.assertEqual(daemon.get("/readyz")[0], 200)
        self.assertEqual(daemon.stop(), 0)
        looking_on.wait(timeout=30)
        rows = {r["device"]: self.shown(r) for r in self.series()}
        self.assertEqual(rows["quick"]["state"], "succeeded")
        self.assertEqual([a["outcome"] for a in rows["hangs"]["attempt_list"]], ["interrupted"])
        self.assertEqual(rows["hangs"]["state"], "retry_wait")

    def test_figures_and_health_are_served_and_no_secret_is_among_them(self):
        self.lab({"name": "core-01", "kind": "ios"}, {"name": "core-02", "kind": "ios", "behaviour": "wrong_password"})
        daemon = self.daemon()
        self.run_site("backup", "--all", code=1)
        self.assertEqual(daemon.get("/healthz")[0], 200)
        code, text = daemon.get("/metrics")
        self.assertEqual(code, 200)
        self.assertIn('nightjar_attempts_total{outcome="success",class=""} 1', text)
        self.assertIn('nightjar_attempts_total{outcome="failure",class="auth"} 1', text)
        self.assertEqual(daemon.get("/nothing")[0], 404)
        said = text + str(daemon.log)
        for secret in ("lab-password", "lab-enable"):
            self.assertNotIn(secret, said)
        status = self.run_site("status", "--json").json
        self.assertEqual(status["daemon"]["pid"], daemon.process.pid)

    def test_three_rejections_stop_a_credential_until_it_is_edited(self):
        self.lab(*[{"name": f"core-{i:02}", "kind": "ios", "behaviour": "wrong_password"} for i in range(12)])
        self.rule("attempts=1")
        daemon = self.daemon()
        self.run_site("backup", "--all", code=1)
        rows = [self.shown(r) for r in self.series()]
        self.assertEqual({r["class"] for r in rows}, {"auth"})
        refused = [r for r in rows if "not tried on this one" in r["reason"]]
        self.assertTrue(all(not r["attempt_list"][0]["transport"] for r in refused), "no device was asked")
        tripped = self.run_site("status", "--json").json["credentials"]
        self.assertEqual([t["credential"] for t in tripped], ["acme/backup"])
        self.run_site("credential", "reset", "acme/backup")
        self.assertEqual(self.run_site("status", "--json").json["credentials"], [])
        daemon.stop()

    def test_a_customer_that_cannot_be_reached_is_held_back_and_probed(self):
        lab = self.lab(*[{"name": f"core-{i:02}", "kind": "ios", "behaviour": "dead"} for i in range(6)])
        self.rule("attempts=5", "delay_seconds=1", "backoff=1", "max_delay_seconds=60")
        self.run_site("limits", "set", "--customer", "acme", "breaker_failures=6", "breaker_cooldown_seconds=3")
        daemon = self.daemon()
        looking_on = self.background("backup", "--all", "--json")
        self.wait_until(lambda: self.run_site("status", "--json", code=None).json["breakers"])
        self.wait_until(lambda: sum(r["attempts"] for r in self.series()) >= 8, 30)  # two probes went
        attempts = sum(r["attempts"] for r in self.series())
        self.assertLess(attempts, 14, "the breaker lets one probe through at a time")
        self.run_site("limits", "set", "--customer", "acme", "breaker_failures=1000")
        self.run_site("series", "cancel", str(self.series()[0]["id"]), code=None)
        looking_on.send_signal(signal.SIGINT)
        looking_on.wait(timeout=30)
        daemon.stop(signal.SIGKILL)
        lab.stop()


if __name__ == "__main__":
    unittest.main(verbosity=2)
