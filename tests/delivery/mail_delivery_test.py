"""Mail through the courier to real SMTP servers."""
import socket
import sys
import unittest
from datetime import datetime, timezone
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "e2e")]

from certificates import Authority  # noqa: E402
from mail_server import NEVER, MailServer  # noqa: E402
from probe import Probe  # noqa: E402

LOGIN = ("nightjar", "correct horse")


def setUpModule():
    global probe, authority, certificate
    probe = Probe()
    authority = Authority()
    certificate = authority.certificate()


def tearDownModule():
    authority.close()
    assert probe.close() == 0


class MailTest(unittest.TestCase):
    def server(self, *args, **kwargs):
        server = MailServer(*args, **kwargs)
        self.addCleanup(server.stop)
        return server

    def at(self, server, **more):
        return {"port": server.port, "timeout_seconds": 30, **more}

    def secured(self, server, security, **more):
        return self.at(server, security=security, ca_file=authority.trust_file, username=LOGIN[0], password=LOGIN[1], **more)


class Arriving(MailTest):
    def test_text_and_html_arrive_as_they_were(self):
        server = self.server()
        text = "Zürich core-01 \U0001f6a8\n.a dot leads\n..two\n" + "long " * 400 + "\n= equals \t\n\nend"
        html = "<p>Zürich &amp; Köln</p>\n" * 50
        answer = probe.send(self.at(server), subject="Backup failed: Zürich \U0001f6a8", text=text, html=html,
                            message_id="17@nightjar.example.net", in_reply_to="12@nightjar.example.net", date=1606701600)
        self.assertEqual((answer["verdict"], answer["status"], answer["left_out"]), ("delivered", 250, []))
        self.assertEqual(answer["detail"], f"127.0.0.1:{server.port} took the mail: 250 2.0.0 OK queued")
        mail = server.wait_for(1)[0]
        self.assertEqual((mail.sender, mail.recipients), ("nightjar@example.net", ["noc@example.org"]))
        headers = mail.message
        self.assertEqual(headers["subject"], "Backup failed: Zürich \U0001f6a8")
        self.assertEqual(headers["message-id"], "<17@nightjar.example.net>")
        self.assertEqual((headers["in-reply-to"], headers["references"]), ("<12@nightjar.example.net>",) * 2)
        self.assertEqual(headers["auto-submitted"], "auto-generated")
        self.assertEqual(headers["date"].datetime, datetime(2020, 11, 30, 2, 0, tzinfo=timezone.utc))
        self.assertEqual(headers.get_content_type(), "multipart/alternative")
        self.assertEqual(mail.body("plain"), text + "\n")
        self.assertEqual(mail.body("html"), html)
        self.assertEqual(headers.defects, [])
        self.assertLessEqual(max(len(line) for line in mail.bytes.split(b"\r\n")), 78)

    def test_no_device_name_becomes_a_header(self):
        server = self.server()
        names = ["core\r\nBcc: thief@example.com\r\n\r\n<script>", 'say "hi" <x@example.com>, \\', "\U0001f600" * 250, "x" * 250,
                 "=?utf-8?B?aGVsbG8=?=", " leading", "tab\there", "a\u2028b\u0085c", "mixed \u00fc " * 30, ""]
        for name in names:
            self.assertEqual(probe.send(self.at(server), subject=name, text=name)["verdict"], "delivered", name)
        for name, mail in zip(names, server.wait_for(len(names))):
            shown = "".join(" " if c in "\r\n\t\u2028\u0085" else c for c in name)
            self.assertEqual(mail.message["subject"], shown)
            self.assertEqual(sorted(k.lower() for k in mail.message.keys()),
                             ["auto-submitted", "content-transfer-encoding", "content-type", "date", "from", "message-id",
                              "mime-version", "subject", "to"])
            self.assertTrue(mail.bytes.isascii())

    def test_starttls_and_tls_carry_the_login_under_encryption(self):
        for security in ("starttls", "tls"):
            with self.subTest(security):
                server = self.server(security, certificate, LOGIN)
                answer = probe.send(self.secured(server, security), text="hello")
                self.assertEqual(answer["verdict"], "delivered", answer)
                mail = server.wait_for(1)[0]
                self.assertTrue(mail.encrypted)
                self.assertEqual(mail.user, LOGIN[0])

    def test_several_recipients_get_one_mail(self):
        server = self.server()
        to = [f"r{i}@example.org" for i in range(40)]
        self.assertEqual(probe.send(self.at(server), to=to, text="x")["verdict"], "delivered")
        mail = server.wait_for(1)[0]
        self.assertEqual(mail.recipients, to)
        self.assertEqual([a.addr_spec for a in mail.message["to"].addresses], to)

    def test_a_recipient_that_is_turned_away_costs_the_others_nothing(self):
        server = self.server(answers={"RCPT b@example.org": "550 5.1.1 no such user", "RCPT c@example.org": "450 greylisted"})
        answer = probe.send(self.at(server), to=["a@example.org", "b@example.org", "c@example.org", "a@@b"], text="x")
        self.assertEqual(answer["verdict"], "delivered")
        self.assertEqual([(l["address"], l["verdict"], l["said"]) for l in answer["left_out"]],
                         [("a@@b", "refused", "the mail address a@@b has two @"),
                          ("b@example.org", "refused", "550 5.1.1 no such user"), ("c@example.org", "deferred", "450 greylisted")])
        self.assertEqual(server.wait_for(1)[0].recipients, ["a@example.org"])


class NotArriving(MailTest):
    def not_sent(self, server, verdict, status, *words, **mail):
        answer = probe.send(server, **{"text": "x", **mail})
        self.assertEqual((answer["verdict"], answer["status"]), (verdict, status), answer)
        for word in words:
            self.assertIn(word, answer["detail"])
        return answer

    def test_the_servers_refusals_are_told_apart(self):
        for step, reply, verdict, words in (
                ("MAIL", "550 5.7.1 not you", "refused", "refuses the sender nightjar@example.net: 550 5.7.1 not you"),
                ("MAIL", "451 later", "deferred", "451 later"),
                ("MAIL", "530 5.7.0 Authentication required", "deferred", "wants a login"),
                ("RCPT noc@example.org", "550 5.1.1 unknown", "refused", "refuses the recipient noc@example.org: 550 5.1.1 unknown"),
                ("RCPT noc@example.org", "450 busy", "deferred", "450 busy"),
                ("DATA", "554 5.6.0 looks like spam", "refused", "refuses the mail: 554 5.6.0 looks like spam"),
                ("DATA", "452 4.3.1 disk full", "deferred", "452 4.3.1 disk full")):
            with self.subTest(f"{step} {reply}"):
                server = self.server(answers={step: reply})
                self.not_sent(self.at(server), verdict, int(reply[:3]), f"127.0.0.1:{server.port} ", words)

    def test_a_wrong_password_is_named_and_tried_again(self):
        server = self.server("starttls", certificate, LOGIN)
        answer = self.not_sent({**self.secured(server, "starttls"), "password": "wrong horse"}, "deferred", 535,
                               "refuses the login as nightjar: 535")
        self.assertNotIn("horse", answer["detail"])
        self.assertEqual(server.mails, [])

    def test_a_certificate_that_is_not_trusted_or_of_another_name_stops_it(self):
        other = authority.certificate("other.example.net", "DNS:other.example.net")
        for security in ("starttls", "tls"):
            with self.subTest(security):
                server = self.server(security, certificate)
                self.not_sent(self.at(server, security=security), "deferred", 0, "no trusted TLS with 127.0.0.1", "certificate")
                server = self.server(security, other)
                self.not_sent(self.at(server, security=security, ca_file=authority.trust_file), "deferred", 0,
                              "no trusted TLS with 127.0.0.1")
                self.assertEqual(server.mails, [])

    def test_a_trust_file_that_is_missing_is_named(self):
        server = self.server("tls", certificate)
        self.not_sent(self.at(server, security="tls", ca_file="/nowhere/ca.pem"), "deferred", 0, "/nowhere/ca.pem")

    def test_without_starttls_nothing_goes_in_the_clear(self):
        server = self.server()
        self.not_sent(self.secured(server, "starttls"), "deferred", 0, "does not offer STARTTLS")
        self.assertEqual(server.mails, [])

    def test_a_login_in_the_clear_is_made_to_this_machine_alone(self):
        self.not_sent({"host": "mail.example.net", "port": 25, "username": "u", "password": "p"}, "refused", 0,
                      "a login to mail.example.net:25 in the clear is not made")
        server = self.server(login=LOGIN)
        answer = probe.send(self.at(server, username=LOGIN[0], password=LOGIN[1]), text="x")
        self.assertEqual(answer["verdict"], "delivered", answer)

    def test_who_is_not_there_is_named(self):
        with socket.create_server(("127.0.0.1", 0)) as s:
            port = s.getsockname()[1]
        self.not_sent({"port": port}, "deferred", 0, f"cannot connect to 127.0.0.1:{port}: Connection refused")
        self.not_sent({"host": "no-such-host.invalid", "port": 25}, "deferred", 0, "no-such-host.invalid:25",
                      "the name no-such-host.invalid is not known")

    def test_an_address_that_is_none_is_refused_before_anything_is_sent(self):
        server = self.server()
        self.not_sent(self.at(server), "refused", 0, "a@@b has two @", to=["a@@b"])
        self.not_sent(self.at(server), "refused", 0, "not ASCII", to=["a@b\r\nRCPT TO:<thief@example.com>"])
        self.not_sent(self.at(server), "refused", 0, "no recipient", to=[])
        self.not_sent({"host": "mail.example.net/x\r\n", "port": 25}, "refused", 0, "not the name of a host")
        self.assertEqual(server.connections, 0)

    def test_a_server_that_never_answers_delays_no_other(self):
        for step in ("CONNECT", "DATA"):
            with self.subTest(step):
                stuck = self.server(answers={step: NEVER})
                slow = [probe.start(send={"port": stuck.port, "timeout_seconds": 3}, mail={"text": "x"}) for _ in range(20)]
                good = self.server()
                for _ in range(5):
                    self.assertEqual(probe.send(self.at(good), text="x")["verdict"], "delivered")
                self.assertFalse(any(probe.is_done(n) for n in slow))
                for n in slow:
                    answer = probe.answer(n)
                    self.assertEqual((answer["verdict"], answer["status"]), ("deferred", 0))
                    self.assertIn(f"127.0.0.1:{stuck.port} did not answer within 3 s", answer["detail"])
                self.assertEqual("may have arrived" in answer["detail"], step == "DATA")

    def test_a_server_that_never_says_goodbye_holds_up_nobody(self):
        for security in (None, "starttls"):
            with self.subTest(security):
                rude = self.server(security, certificate, answers={"QUIT": NEVER, "RCPT bad@example.org": "550 no"})
                terms = self.at(rude, security=security or "none", ca_file=authority.trust_file, timeout_seconds=600)
                self.assertEqual(probe.send(terms, text="x")["verdict"], "delivered")
                self.assertEqual(probe.send(terms, text="x", to=["bad@example.org"])["verdict"], "refused")

    def test_stopping_drops_what_is_under_way(self):
        own = Probe()
        stuck = self.server(answers={"DATA": NEVER})
        numbers = [own.start(send={"port": stuck.port, "timeout_seconds": 600}, mail={"text": "x"}) for _ in range(10)]
        stuck.wait_for(10)
        own.stop_courier()
        numbers.append(own.start(send={"port": stuck.port}, mail={"text": "x"}))
        self.assertEqual({(a["verdict"], a["detail"]) for a in map(own.answer, numbers)},
                         {("deferred", f"the delivery to 127.0.0.1:{stuck.port} was dropped: the courier stops")})
        self.assertEqual(own.close(), 0)


if __name__ == "__main__":
    unittest.main()
