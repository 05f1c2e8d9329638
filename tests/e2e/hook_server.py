"""A webhook's receiver on a free loopback port, in threads of the test: it keeps what arrives and answers as it is told."""
import dataclasses
import http.server
import socketserver
import ssl
import threading


@dataclasses.dataclass
class Reply:
    """manner: "answer"; "close" (the request is read, then nothing); "never" (no answer while the server runs); "endless" (the
    body never ends)."""
    status: int = 200
    headers: dict = dataclasses.field(default_factory=dict)
    body: bytes = b""
    manner: str = "answer"


@dataclasses.dataclass
class Request:
    method: str
    path: str
    headers: object  # case does not matter: headers["webhook-id"]
    body: bytes


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        reply = self.server.owner._take(Request(self.command, self.path, self.headers, body))
        self.close_connection = True
        if reply.manner == "close":
            return
        if reply.manner == "never":
            self.server.owner.stopping.wait()
            return
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if reply.manner != "endless":
            self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body)
        while reply.manner == "endless" and not self.server.owner.stopping.is_set():
            self.wfile.write(b"x" * 65536)

    do_GET = do_PUT = do_POST

    def log_message(self, *_):
        pass


class _Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 512
    context = None

    def finish_request(self, request, client_address):
        # The handshake is the connection's thread's, not the listener's.
        if self.context:
            with self.context.wrap_socket(request, server_side=True) as secured:
                super().finish_request(secured, client_address)
        else:
            super().finish_request(request, client_address)

    def handle_error(self, request, client_address):
        pass  # peers that hang up are part of the tests


class HookServer:
    """`script` is worked off one reply a request; when it is empty, `reply` is given. Both may be changed at any time."""

    def __init__(self, certificate=None, reply=None):
        self.reply = reply or Reply()
        self.script = []
        self.requests = []
        self.stopping = threading.Event()
        self._changed = threading.Condition()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.owner = self
        if certificate:
            self._server.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._server.context.load_cert_chain(*certificate)
        self.port = self._server.server_address[1]
        self.url = f"{'https' if certificate else 'http'}://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    def wait_for(self, count, timeout=60):
        """The requests, once there are so many."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.requests) >= count, timeout), \
                f"{len(self.requests)} of {count} requests came"
            return list(self.requests)

    def stop(self):
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _take(self, request):
        with self._changed:
            self.requests.append(request)
            self._changed.notify_all()
            return self.script.pop(0) if self.script else self.reply
