"""Whether a daemon runs, as told by the command beside it."""
import signal
import unittest

from daemon import Daemon
from site_under_test import SiteTest


class Status(SiteTest):
    def serve(self):
        daemon = Daemon(self.site)
        self.addCleanup(daemon.stop, signal.SIGKILL)
        return daemon.ready()

    def test_a_daemon_that_runs_is_named_and_one_that_was_killed_is_not(self):
        self.run_site("customer", "add", "acme")
        self.run_site("status", code=1)
        daemon = self.serve()
        status = self.run_site("status", "--json").json
        self.assertEqual((status["daemon"]["running"], status["daemon"]["pid"]), (True, daemon.process.pid))
        self.assertEqual(status["daemon"]["address"], daemon.address)
        self.assertIn(f"pid {daemon.process.pid}", self.run_site("serve", "--listen", "none", code=3).err)
        daemon.stop(signal.SIGKILL)
        status = self.run_site("status", "--json", code=1).json
        self.assertEqual((status["daemon"]["running"], status["daemon"]["pid"]), (False, None))
        self.assertIsNotNone(status["daemon"]["last_seen_at"])

    def test_a_schedule_that_is_edited_beside_the_daemon_says_its_next_run(self):
        self.run_site("customer", "add", "acme", "--timezone", "Asia/Tokyo")
        self.serve()
        self.run_site("schedule", "set", "--customer", "acme", "cron=0 12 * * *")
        schedule = self.run_site("schedule", "show", "--customer", "acme", "--json").json
        self.assertRegex(schedule["next"][0]["local"], " 12:00 JST$")
        self.assertEqual(self.run_site("status", "--json").json["next_run_at"], schedule["next"][0]["at"])


if __name__ == "__main__":
    unittest.main()
