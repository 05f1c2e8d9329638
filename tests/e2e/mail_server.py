"""A real SMTP server (aiosmtpd) on a free loopback port, in a thread of the test: it keeps what arrives and answers as it is told."""
import asyncio
import email
import email.policy
import logging
import socket
import ssl
import sys
import threading
import warnings

try:
    from aiosmtpd.smtp import SMTP, AuthResult
except ImportError:  # a Python beside Debian's own does not look where Debian's packages are
    sys.path.append("/usr/lib/python3/dist-packages")
    from aiosmtpd.smtp import SMTP, AuthResult

warnings.filterwarnings("ignore", "Requiring AUTH while not requiring TLS")
logging.getLogger("mail.log").setLevel(logging.CRITICAL)

NEVER = "never"  # as an answer: none is given, for as long as the server runs


class Received:
    """One mail as it came: the envelope, whether under TLS, as whom, and the message."""

    def __init__(self, envelope, session, encrypted):
        self.sender = envelope.mail_from
        self.recipients = list(envelope.rcpt_tos)
        self.bytes = envelope.original_content
        self.encrypted = encrypted
        self.user = session.auth_data
        self.message = email.message_from_bytes(self.bytes, policy=email.policy.default)

    def body(self, kind):
        """The text of the part of this kind ("plain", "html"), lines ended by LF; None: there is none."""
        part = self.message.get_body((kind,))
        return None if part is None else part.get_content().replace("\r\n", "\n")


class MailServer:
    """security: None, "starttls" or "tls"; login: (user, password) that is then asked for.

    `answers` maps a step to the reply given instead of 250: "MAIL", "DATA" (the whole mail has come), "QUIT", "CONNECT" (the
    greeting; NEVER alone) or "RCPT a@example.net". It may be changed at any time."""

    def __init__(self, security=None, certificate=None, login=None, answers=None):
        self.answers = dict(answers or {})
        self.mails = []
        self.connections = 0
        self._security, self._login = security, login
        self._context = None
        if security:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(*certificate)
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self._socket.getsockname()[1]
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(lambda loop, context: None)  # peers that hang up are part of the tests
        self._arrived = threading.Condition()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def wait_for(self, count, timeout=60):
        """The mails, once there are so many."""
        with self._arrived:
            assert self._arrived.wait_for(lambda: len(self.mails) >= count, timeout), f"{len(self.mails)} of {count} mails came"
            return list(self.mails)

    def stop(self):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self):
        asyncio.set_event_loop(self._loop)
        tls = self._context if self._security == "tls" else None
        listener = self._loop.run_until_complete(self._loop.create_server(self._session, sock=self._socket, ssl=tls))
        self._loop.run_forever()
        waiting = asyncio.all_tasks(self._loop)
        for task in waiting:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*waiting, return_exceptions=True))
        listener.close()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    def _session(self):
        self.connections += 1
        if self.answers.get("CONNECT") == NEVER:
            return asyncio.Protocol()
        starttls = self._security == "starttls"
        return SMTP(self, hostname="mail.example.net", loop=self._loop, tls_context=self._context if starttls else None,
                    require_starttls=starttls, auth_required=self._login is not None, auth_require_tls=starttls,
                    authenticator=self._authenticate, timeout=3600)

    def _authenticate(self, server, session, envelope, mechanism, data):
        offered = (data.login.decode(), data.password.decode())
        return AuthResult(success=offered == self._login, handled=False, auth_data=offered[0])

    async def _answer(self, step, otherwise):
        answer = self.answers.get(step, otherwise)
        if answer == NEVER:
            await asyncio.Event().wait()
        return answer

    async def handle_MAIL(self, server, session, envelope, address, options):
        answer = await self._answer("MAIL", "250 OK")
        if answer.startswith("2"):
            envelope.mail_from = address
        return answer

    async def handle_RCPT(self, server, session, envelope, address, options):
        answer = await self._answer(f"RCPT {address}", "250 OK")
        if answer.startswith("2"):
            envelope.rcpt_tos.append(address)
        return answer

    async def handle_DATA(self, server, session, envelope):
        with self._arrived:
            self.mails.append(Received(envelope, session, server.transport.get_extra_info("sslcontext") is not None))
            self._arrived.notify_all()
        return await self._answer("DATA", "250 2.0.0 OK queued")

    async def handle_QUIT(self, server, session, envelope):
        return await self._answer("QUIT", "221 Bye")
