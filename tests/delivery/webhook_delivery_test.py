"""Webhooks through the courier to real HTTP servers."""
import base64
import email.utils
import hashlib
import hmac
import socket
import sys
import time
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "e2e")]

from certificates import Authority  # noqa: E402
from hook_server import HookServer, Reply  # noqa: E402
from probe import Probe  # noqa: E402

SECRETS = ["whsec_" + base64.b64encode(bytes(range(n, n + 32))).decode() for n in (1, 100)]


def setUpModule():
    global probe, authority
    probe = Probe()
    authority = Authority()


def tearDownModule():
    authority.close()
    assert probe.close() == 0


def expected_signature(secret, request):
    key = base64.b64decode(secret.removeprefix("whsec_"))
    text = f"{request.headers['webhook-id']}.{request.headers['webhook-timestamp']}.".encode() + request.body
    return "v1," + base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()


class HookTest(unittest.TestCase):
    def server(self, *args, **kwargs):
        server = HookServer(*args, **kwargs)
        self.addCleanup(server.stop)
        return server

    def answer(self, server, **post):
        return probe.post(server.url + "/hooks/s3cret-path", timeout_seconds=post.pop("timeout_seconds", 30), **post)

    def judged(self, reply, **post):
        server = self.server(reply=reply)
        answer = self.answer(server, **post)
        self.assertNotIn("s3cret", answer["detail"])
        answer["detail"] = answer["detail"].replace(f"127.0.0.1:{server.port}", "PEER")
        return answer


class Arriving(HookTest):
    def test_a_receiver_can_check_the_signature_with_the_new_secret_and_the_old(self):
        server = self.server()
        body = '{"name":"Zürich \U0001f6a8"}'
        answer = self.answer(server, body=body, id="msg_42", secrets=SECRETS)
        self.assertEqual((answer["verdict"], answer["status"], answer["detail"]),
                         ("delivered", 200, f"127.0.0.1:{server.port} answers 200"))
        request = server.wait_for(1)[0]
        self.assertEqual((request.method, request.path, request.body), ("POST", "/hooks/s3cret-path", body.encode()))
        self.assertEqual(request.headers["content-type"], "application/json")
        self.assertEqual(request.headers["webhook-id"], "msg_42")
        self.assertLess(abs(time.time() - int(request.headers["webhook-timestamp"])), 60)
        self.assertEqual(request.headers["webhook-signature"], " ".join(expected_signature(s, request) for s in SECRETS))

    def test_without_a_secret_there_is_no_signature(self):
        server = self.server()
        self.answer(server)
        self.assertIsNone(server.wait_for(1)[0].headers["webhook-signature"])

    def test_large_bodies_go_at_once(self):
        server = self.server()
        body = "x" * 3_000_000
        self.assertEqual(self.answer(server, body=body)["verdict"], "delivered")
        self.assertEqual(len(server.wait_for(1)[0].body), len(body))

    def test_https_is_checked_against_the_systems_trust_and_the_file(self):
        server = self.server(authority.certificate())
        answer = self.answer(server)
        self.assertEqual((answer["verdict"], answer["status"]), ("deferred", 0))
        self.assertIn(f"no trusted TLS with 127.0.0.1:{server.port}", answer["detail"])
        self.assertEqual(server.requests, [])
        self.assertEqual(self.answer(server, ca_file=authority.trust_file)["verdict"], "delivered")
        other = self.server(authority.certificate("other.example.net", "DNS:other.example.net"))
        self.assertEqual(self.answer(other, ca_file=authority.trust_file)["verdict"], "deferred")
        self.assertEqual(other.requests, [])


class Answers(HookTest):
    def test_each_status_has_its_verdict(self):
        for status, verdict in ((201, "delivered"), (204, "delivered"), (400, "refused"), (401, "refused"), (404, "refused"),
                                (408, "deferred"), (410, "gone"), (425, "deferred"), (429, "deferred"), (500, "deferred"),
                                (503, "deferred"), (304, "refused")):
            with self.subTest(status):
                answer = self.judged(Reply(status))
                self.assertEqual((answer["verdict"], answer["status"], answer["retry_after"]), (verdict, status, None))

    def test_the_answers_first_line_is_shown_on_one_line(self):
        answer = self.judged(Reply(500, body=b"\r\n Oh no\x07:\xff \xe2\x9c\x93 " + b"y" * 500 + b"\nTraceback\n"))
        self.assertTrue(answer["detail"].startswith("PEER answers 500: Oh no :\ufffd \u2713 yyy"), answer)
        self.assertEqual(len(answer["detail"]), len("PEER answers 500: ") + 200)
        self.assertNotIn("Traceback", answer["detail"])

    def test_retry_after_is_read_in_both_forms_and_is_a_day_at_most(self):
        self.assertEqual(self.judged(Reply(429, {"Retry-After": "120"}))["retry_after"], 120)
        self.assertEqual(self.judged(Reply(503, {"Retry-After": "99999999999999999999"}))["retry_after"], 86400)
        self.assertEqual(self.judged(Reply(503, {"Retry-After": "soon"}))["retry_after"], None)
        date = email.utils.formatdate(time.time() + 600, usegmt=True)
        self.assertAlmostEqual(self.judged(Reply(503, {"Retry-After": date}))["retry_after"], 600, delta=60)
        self.assertEqual(self.judged(Reply(200, {"Retry-After": "120"}))["retry_after"], None)

    def test_redirects_are_named_and_not_followed(self):
        other = self.server()
        for status in (301, 302, 303, 307, 308):
            answer = self.judged(Reply(status, {"Location": other.url + "/s3cret-path"}))
            self.assertEqual((answer["verdict"], answer["status"]), ("refused", status))
            self.assertEqual(answer["detail"], f"PEER answers {status} to {other.url}; redirects are not followed")
        self.assertEqual(other.requests, [])

    def test_an_answer_without_end_is_cut_off(self):
        answer = self.judged(Reply(500, body=b"busy\n", manner="endless"))
        self.assertEqual((answer["verdict"], answer["status"], answer["detail"]), ("deferred", 500, "PEER answers 500: busy"))
        self.assertEqual(self.judged(Reply(200, manner="endless"))["verdict"], "delivered")

    def test_an_answer_lost_on_the_wire_is_tried_again_under_the_same_id(self):
        server = self.server()
        server.script = [Reply(manner="close"), Reply(200)]
        first = self.answer(server, id="msg_7", secrets=SECRETS)
        self.assertEqual((first["verdict"], first["status"]), ("deferred", 0))
        self.assertEqual(first["detail"], f"127.0.0.1:{server.port} closed the connection before it had answered")
        self.assertEqual(len(server.requests), 1)
        self.assertEqual(self.answer(server, id="msg_7", secrets=SECRETS)["verdict"], "delivered")
        self.assertEqual([r.headers["webhook-id"] for r in server.wait_for(2)], ["msg_7", "msg_7"])

    def test_what_is_no_http_is_said(self):
        with socket.create_server(("127.0.0.1", 0)) as listening:
            number = probe.start(post={"url": f"http://127.0.0.1:{listening.getsockname()[1]}/", "timeout_seconds": 30})
            peer, _ = listening.accept()
            with peer:
                peer.recv(65536)
                peer.sendall(b"SSH-2.0-dropbear\r\n")
                peer.shutdown(socket.SHUT_WR)
                answer = probe.answer(number)
        self.assertEqual((answer["verdict"], answer["status"]), ("deferred", 0), answer)


class Refused(HookTest):
    def test_addresses_that_lead_inside_are_refused_when_they_are_connected_to(self):
        for host in ("169.254.169.254", "2852039166", "0xa9fea9fe", "169.254.7.7", "[::ffff:169.254.169.254]", "[fe80::1]",
                     "[fd00:ec2::254]", "100.100.100.200", "0.0.0.0", "[::]", "[::ffff:0.0.0.0]", "224.0.0.1", "255.255.255.255",
                     "[ff02::1]", "[64:ff9b::a9fe:a9fe]"):
            with self.subTest(host):
                answer = probe.post(f"http://{host}:8080/x", timeout_seconds=30)
                self.assertEqual((answer["verdict"], answer["status"]), ("refused", 0), answer)
                self.assertIn("not allowed for a webhook", answer["detail"])

    def test_leave_can_be_given(self):
        server = self.server()
        url = f"http://0.0.0.0:{server.port}/"
        self.assertEqual(probe.post(url)["verdict"], "refused")
        self.assertEqual(server.requests, [])
        self.assertEqual(probe.post(url, allow_link_local=True)["verdict"], "delivered")

    def test_a_url_that_is_none_is_refused(self):
        for url, words in (("ftp://example.net/", "http"), ("file:///etc/passwd", "http"), ("http://u:pw@example.net/", "password"),
                           ("", "empty"), ("http://", "host"), ("http://exa mple/", "blanks"), ("gopher://x", "http")):
            with self.subTest(url):
                answer = probe.post(url)
                self.assertEqual((answer["verdict"], answer["status"]), ("refused", 0), answer)
                self.assertIn(words, answer["detail"])
                self.assertNotIn("pw", answer["detail"].replace("password", ""))

    def test_a_header_cannot_carry_another(self):
        server = self.server()
        answer = self.answer(server, headers={"X-Name": "a\r\nX-Other: b"})
        self.assertEqual(answer["verdict"], "refused")
        self.assertEqual(server.requests, [])


class ManyAtOnce(HookTest):
    def test_receivers_that_never_answer_delay_no_other(self):
        stuck = self.server(reply=Reply(manner="never"))
        good = self.server()
        slow = [probe.start(post={"url": stuck.url, "timeout_seconds": 10}) for _ in range(100)]
        fast = [probe.start(post={"url": good.url, "timeout_seconds": 30}) for _ in range(100)]
        self.assertEqual({probe.answer(n)["verdict"] for n in fast}, {"delivered"})
        self.assertFalse(any(probe.is_done(n) for n in slow))
        self.assertEqual({probe.answer(n)["detail"] for n in slow}, {f"127.0.0.1:{stuck.port} did not answer within 10 s"})

    def test_stopping_drops_what_is_under_way(self):
        own = Probe()
        stuck = self.server(reply=Reply(manner="never"))
        numbers = [own.start(post={"url": stuck.url, "timeout_seconds": 600}) for _ in range(10)]
        stuck.wait_for(10)
        own.stop_courier()
        numbers.append(own.start(post={"url": stuck.url}))
        self.assertEqual({(a["verdict"], a["detail"]) for a in map(own.answer, numbers)},
                         {("deferred", f"the delivery to 127.0.0.1:{stuck.port} was dropped: the courier stops")})
        self.assertEqual(own.close(), 0)


if __name__ == "__main__":
    unittest.main()
