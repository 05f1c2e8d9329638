"""Who is told what: real failures of the lab's devices, a real mail server, a real receiver of webhooks. NIGHTJAR_ALERT_KILLS (6)
makes the test with the killed daemon longer by hand."""
import base64
import hashlib
import hmac
import json
import os
import random
import signal
import sqlite3
import time
import unittest

from daemon import Daemon, set_back
from hook_server import HookServer, Reply
from lab import Lab
from mail_server import MailServer
from site_under_test import SiteTest

KILLS = int(os.environ.get("NIGHTJAR_ALERT_KILLS", "6"))
RULE = ("attempts=3", "delay_seconds=1", "backoff=1", "attempt_timeout_seconds=20", "max_delay_seconds=2")


def signature(secret, request):
    signed = f"{request.headers['webhook-id']}.{request.headers['webhook-timestamp']}.".encode() + request.body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


class AlertTest(SiteTest):
    def lab(self, *devices):
        lab = Lab(self.site, list(devices))
        self.addCleanup(lab.stop)
        lab.enrol()
        self.run_site("rule", "set", "--platform", *RULE)
        return lab

    def hook(self, scope=("--customer", "acme"), *more):
        hook = HookServer()
        self.addCleanup(hook.stop)
        added = self.run_site("destination", "add", *scope, "--webhook", hook.url, "--new-secret", *more, "--json").json
        hook.secret = added["secret"]
        return hook

    def mail(self):
        mail = MailServer()
        self.addCleanup(mail.stop)
        self.run_site("mail", "set", "--host", "127.0.0.1", "--port", str(mail.port), "--security", "none", "--sender",
                      "nightjar@example.net")
        self.run_site("destination", "add", "--platform", "--email", "night@example.net")
        return mail

    def backup(self, code):
        return self.run_site("backup", "--all", "--json", code=code)

    def deliveries(self):
        return self.run_site("delivery", "list", "--json").json

    def daemon(self):
        daemon = Daemon(self.site)
        self.addCleanup(daemon.process.communicate)
        self.addCleanup(lambda: daemon.process.poll() is None and daemon.process.send_signal(signal.SIGKILL))
        return daemon


class InTheForeground(AlertTest):
    def test_two_failures_and_a_success_tell_nobody(self):
        self.lab({"name": "core-01", "kind": "ios", "behaviour": "refuse_first", "count": 2})
        hook, mail = self.hook(), self.mail()
        self.backup(code=0)
        self.assertEqual((hook.requests, mail.mails, self.deliveries()), ([], [], []))

    def test_three_failures_are_one_message_each_and_the_recovery_goes_to_those_who_were_told(self):
        self.lab({"name": "core-01", "kind": "ios", "behaviour": "refuse_first", "count": 3})
        hook, mail = self.hook(), self.mail()
        other = self.hook(("--platform",), "--events", "report.daily,series.recovered")
        self.backup(code=1)
        told, = hook.wait_for(1)
        self.assertEqual(told.headers["webhook-signature"], signature(hook.secret, told))
        body = json.loads(told.body)
        self.assertEqual((body["type"], body["id"], body["data"]["customer"]), ("series.failed", told.headers["webhook-id"], "acme"))
        failed, = body["data"]["series"]
        self.assertEqual((failed["device"], failed["attempts"], failed["end"], failed["transport"]), ("core-01", 3, "exhausted", "ssh"))
        self.assertEqual([a["class"] for a in failed["attempt_list"]], [failed["class"]] * 3)
        self.assertEqual(failed["rule"]["attempts"], {"value": "3", "origin": "platform"})
        letter, = mail.wait_for(1)
        self.assertIn("acme/core-01", letter.message["Subject"])
        for part in ("plain", "html"):
            self.assertIn(failed["reason"], letter.body(part))
            self.assertIn("3 attempts, exhausted, over ssh", letter.body(part))

        self.backup(code=0)
        recovered = hook.wait_for(2)[1]
        self.assertEqual(json.loads(recovered.body)["type"], "series.recovered")
        reply = mail.wait_for(2)[1].message
        self.assertEqual(reply["In-Reply-To"], letter.message["Message-ID"])
        self.backup(code=0)
        self.assertEqual((len(hook.requests), len(mail.mails), other.requests), (2, 2, []))

    def test_a_device_that_goes_on_failing_is_told_by_the_policy(self):
        lab = self.lab({"name": "core-01", "kind": "ios", "behaviour": "dead"})
        hook = self.hook()
        self.backup(code=1)
        self.backup(code=1)
        self.assertEqual(len(hook.requests), 1, "daily: once a day")
        self.run_site("alert", "set", "--customer", "acme", "repeat=every")
        self.backup(code=1)
        self.assertEqual(len(hook.requests), 2)
        self.run_site("alert", "set", "--device", "acme/core-01", "maintenance=0 0 * * * for 24h")
        self.backup(code=1)
        self.assertEqual(len(hook.requests), 2, "a maintenance window is open")
        self.assertEqual(len({r.headers["webhook-id"] for r in hook.requests}), 2)
        lab.stop()

    def test_a_receiver_that_is_gone_is_left_alone_and_a_dead_message_can_be_replayed(self):
        self.lab({"name": "core-01", "kind": "ios", "behaviour": "dead"})
        hook = self.hook()
        hook.reply = Reply(status=410)
        self.backup(code=1)
        gone, = self.deliveries()
        self.assertEqual((gone["state"], gone["status"], gone["tries"]), ("dead", 410, 1))
        shown, = self.run_site("destination", "list", "--json").json
        self.assertFalse(shown["enabled"])
        hook.reply = Reply(status=200)
        self.run_site("destination", "enable", str(shown["id"]))
        self.run_site("delivery", "replay", str(gone["id"]))
        daemon = self.daemon().ready()
        first, again = hook.wait_for(2)
        self.assertEqual(first.headers["webhook-id"], again.headers["webhook-id"])
        self.assertEqual(first.body, again.body)
        self.assertEqual(daemon.stop(), 0)


class UnderTheDaemon(AlertTest):
    def night(self, count, *policy):
        """Devices that all fail in the run of the hour before."""
        self.lab(*({"name": f"edge-{i:03}", "kind": "ios", "behaviour": "dead"} for i in range(count)))
        self.run_site("rule", "set", "--platform", "attempts=1")
        self.run_site("schedule", "set", "--platform", "cron=0 * * * *", "catch_up_seconds=7200")
        self.run_site("alert", "set", "--platform", *policy)
        set_back(self.site, 3600)

    def test_two_hundred_devices_of_one_customer_are_one_message(self):
        self.night(200, "group_seconds=15")
        hook = self.hook()
        daemon = self.daemon().ready()
        told, = hook.wait_for(1, timeout=120)
        series = json.loads(told.body)["data"]["series"]
        self.assertEqual(len({s["device"] for s in series}), 200)
        self.assertTrue(any(s["cause"] and "breaker open" in s["cause"] for s in series))
        self.assertEqual(daemon.stop(), 0)
        self.assertEqual(len(self.deliveries()), 1)

    def test_a_receiver_that_is_ill_gets_one_event_under_one_id(self):
        self.night(1, "group_seconds=0")
        hook = self.hook()
        hook.script = [Reply(status=500), Reply(status=500)]
        daemon = self.daemon().ready()
        tries = hook.wait_for(3, timeout=120)
        self.assertEqual(len({t.headers["webhook-id"] for t in tries}), 1)
        self.assertEqual(len({t.body for t in tries}), 1)
        daemon.wait_for("delivery.tried", verdict="delivered")
        self.assertEqual(daemon.stop(), 0)
        delivered, = self.deliveries()
        self.assertEqual((delivered["state"], delivered["tries"]), ("delivered", 3))

    def test_killed_again_and_again_it_tells_each_failure_once(self):
        self.night(40, "group_seconds=1")
        hook = self.hook()
        hook.reply = Reply(status=200)
        dice = random.Random(5)
        for _ in range(KILLS):
            daemon = self.daemon()
            time.sleep(dice.uniform(0.1, 1.5))  # the moment of the kill, not a wait for anything
            daemon.stop(signal.SIGKILL)
        daemon = self.daemon().ready()
        self.assertEqual(self.all_told(), [])
        self.assertEqual(daemon.stop(), 0)
        bodies = {}
        for request in hook.requests:
            before = bodies.setdefault(request.headers["webhook-id"], request.body)
            self.assertEqual(before, request.body, "a repeat is the same message")
        told = [s["id"] for body in bodies.values() for s in json.loads(body)["data"]["series"]]
        failed = self.run_site("series", "list", "--all", "--failed", "--json", "--limit", "1000").json
        self.assertEqual(sorted(told), sorted(s["id"] for s in failed))
        self.assertEqual(len(failed), 40)

    def all_told(self, seconds=180):
        """What is still open or undelivered when the time is up."""
        deadline = time.monotonic() + seconds
        while True:
            with sqlite3.connect(f"file:{self.site.data}/nightjar.db?mode=ro", uri=True, timeout=30) as db:
                rows = db.execute("SELECT 'series', id FROM series WHERE ended_ms IS NULL UNION ALL "
                                  "SELECT state, id FROM message WHERE ended_ms IS NULL").fetchall()
                opened = db.execute("SELECT count(*) FROM series").fetchone()[0]
            db.close()
            if (opened and not rows) or time.monotonic() > deadline:
                return rows
            time.sleep(0.2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
