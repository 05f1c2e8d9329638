"""Test messages to real servers: what arrives, and what is said of it."""
import base64
import hashlib
import hmac
import json
import unittest

from certificates import Authority
from hook_server import HookServer, Reply
from mail_server import MailServer
from site_under_test import SiteTest

LOGIN = ("nightjar", "correct horse")


def setUpModule():
    global authority, certificate
    authority = Authority()
    certificate = authority.certificate()


def tearDownModule():
    authority.close()


def signature(secret, request):
    signed = f"{request.headers['webhook-id']}.{request.headers['webhook-timestamp']}.".encode() + request.body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


class Hook(SiteTest):
    def setUp(self):
        super().setUp()
        self.run_site("customer", "add", "acme")
        self.hook = HookServer()
        self.addCleanup(self.hook.stop)

    def add(self, *more):
        return self.run_site("destination", "add", "--customer", "acme", "--webhook", self.hook.url + "/T0/token", *more,
                             "--json").json

    def test_a_test_message_is_signed_and_says_that_it_is_a_test(self):
        added = self.add("--new-secret")
        answer = self.run_site("destination", "test", str(added["id"]), "--json")
        self.assertEqual((answer.json["delivered"], answer.json["status"]), (True, 200))
        self.assertNotIn("token", answer.text + answer.err)
        request = self.hook.wait_for(1)[0]
        self.assertEqual(request.path, "/T0/token")
        self.assertEqual(request.headers["webhook-id"], answer.json["event_id"])
        self.assertEqual(request.headers["webhook-signature"], signature(added["secret"], request))
        body = json.loads(request.body)
        self.assertEqual((body["type"], body["id"], body["data"]["test"]), ("test", answer.json["event_id"], True))
        self.assertEqual(body["data"]["customer"], "acme")

    def test_two_secrets_sign_until_the_rotation_is_finished(self):
        added = self.add("--new-secret")
        rotated = self.run_site("destination", "rotate", "1", "--new-secret", "--json").json
        self.run_site("destination", "test", "1")
        self.run_site("destination", "rotate", "1", "--finish")
        self.run_site("destination", "test", "1")
        both, one = self.hook.wait_for(2)
        self.assertEqual(both.headers["webhook-signature"],
                         f"{signature(rotated['secret'], both)} {signature(added['secret'], both)}")
        self.assertEqual(one.headers["webhook-signature"], signature(rotated["secret"], one))

    def test_each_preset_has_its_form(self):
        for preset, key in (("slack", "blocks"), ("teams", "attachments")):
            added = self.add("--preset", preset)
            self.run_site("destination", "test", str(added["id"]))
            self.assertIn(key, json.loads(self.hook.requests[-1].body))

    def test_an_answer_that_is_no_delivery_is_printed_and_fails(self):
        self.add()
        self.hook.reply = Reply(status=503)
        answer = self.run_site("destination", "test", "1", code=1)
        self.assertIn("503", answer.text)
        self.assertNotIn("token", answer.text + answer.err)
        self.hook.reply = Reply(status=410)
        answer = self.run_site("destination", "test", "1", "--json", code=1).json
        self.assertEqual((answer["delivered"], answer["verdict"], answer["status"]), (False, "gone", 410))


class Mail(SiteTest):
    def server(self, *args, **kwargs):
        server = MailServer(*args, **kwargs)
        self.addCleanup(server.stop)
        return server

    def set(self, server, *more, **typed):
        self.run_site("mail", "set", "--host", "127.0.0.1", "--port", str(server.port), "--sender", "nightjar@example.net",
                      *more, **typed)

    def test_a_mail_test_goes_through_the_server_that_is_set(self):
        server = self.server("starttls", certificate, LOGIN)
        self.set(server, "--username", LOGIN[0], "--password-stdin", "--ca-file", authority.trust_file,
                 typed=LOGIN[1].encode() + b"\n")
        answer = self.run_site("mail", "test", "--to", "noc@example.org")
        self.assertIn("250 2.0.0 OK queued", answer.text)
        self.assertNotIn(LOGIN[1], answer.text + answer.err)
        mail = server.wait_for(1)[0]
        self.assertTrue(mail.encrypted)
        self.assertEqual((mail.sender, mail.recipients), ("nightjar@example.net", ["noc@example.org"]))
        self.assertEqual(mail.message["subject"], "Nightjar test message")
        self.assertIn("This is a test", mail.body("plain"))
        self.assertRegex(mail.message["message-id"], r"^<msg_[0-9a-f]{32}@example\.net>$")

    def test_a_wrong_password_fails_with_what_the_server_said(self):
        server = self.server("starttls", certificate, LOGIN)
        self.set(server, "--username", LOGIN[0], "--password-stdin", "--ca-file", authority.trust_file, typed=b"battery staple\n")
        answer = self.run_site("mail", "test", "--to", "noc@example.org", "--json", code=1)
        self.assertEqual((answer.json["delivered"], answer.json["status"]), (False, 535))
        self.assertNotIn("battery staple", answer.text + answer.err)
        self.assertEqual(server.mails, [])

    def test_a_recipient_left_out_is_named_and_the_test_has_failed(self):
        server = self.server(answers={"RCPT gone@example.org": "550 5.1.1 no such user"})
        self.set(server, "--security", "none")
        self.run_site("destination", "add", "--platform", "--email", "noc@example.org,gone@example.org")
        answer = self.run_site("destination", "test", "1", code=1)
        self.assertIn("not to gone@example.org", answer.text)
        self.assertIn("no such user", answer.text)
        self.assertEqual(server.wait_for(1)[0].recipients, ["noc@example.org"])


if __name__ == "__main__":
    unittest.main()
