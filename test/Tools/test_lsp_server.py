# ===- test_lsp_server.py - quench-lsp-server, as an editor uses it ----------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""The language server protocol: messages of JSON with a header, over standard input and output."""

import json
import subprocess

import pytest

URI = "file:///program.mlir"
PROGRAM = """\
quench.weight @w {key = "w"} : !quench.qtensor<64x32, #quench.q4_1>
func.func @f(%x: tensor<?x32xf32>) -> tensor<?x64xf32> {
  %w = quench.get_weight @w : !quench.qtensor<64x32, #quench.q4_1>
  %y = quench.linear %x, %w : tensor<?x32xf32>, !quench.qtensor<64x32, #quench.q4_1> -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
"""


class Server:
    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self.requests = 0

    def notify(self, method, params, **members):
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **members}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            name, value = line.split(b":")
            if name == b"Content-Length":
                length = int(value)
        assert length > 0, "the server has gone"
        return json.loads(self.process.stdout.read(length))

    def request(self, method, params):
        self.requests += 1
        self.notify(method, params, id=self.requests)
        while (message := self.receive()).get("id") != self.requests:
            pass
        return message["result"]

    def at(self, method, line, character):
        """The answer to a question about a place, both counted from 0."""
        return self.request(method, {"textDocument": {"uri": URI}, "position": {"line": line, "character": character}})

    def diagnostics_of(self, text):
        """Opens a file, and what the server publishes about it."""
        self.notify("textDocument/didOpen",
                    {"textDocument": {"uri": URI, "languageId": "mlir", "version": 1, "text": text}})
        while (message := self.receive()).get("method") != "textDocument/publishDiagnostics":
            pass
        return message["params"]["diagnostics"]


@pytest.fixture
def server(quench_lsp_server):
    server = Server(quench_lsp_server.path)
    answer = server.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    assert answer["capabilities"]["hoverProvider"] and answer["capabilities"]["definitionProvider"]
    yield server
    server.request("shutdown", None)
    server.notify("exit", None)
    assert server.process.wait(timeout=60) == 0


def test_definition_and_hover(server):
    assert server.diagnostics_of(PROGRAM) == []
    line = PROGRAM.splitlines()[3]
    [defined] = server.at("textDocument/definition", 3, line.index("%w") + 1)
    assert defined["range"]["start"] == {"line": 2, "character": 2}
    hover = server.at("textDocument/hover", 3, line.index("linear"))["contents"]["value"]
    assert "quench.linear" in hover


def test_symbol(server):
    """From the use of a weight to its declaration."""
    assert server.diagnostics_of(PROGRAM) == []
    [defined] = server.at("textDocument/definition", 2, PROGRAM.splitlines()[2].index("@w") + 1)
    assert defined["range"]["start"]["line"] == 0


def test_diagnostic(server):
    """What a verifier of the dialect says, where it says it."""
    [found] = server.diagnostics_of(PROGRAM.replace("?x64xf32", "?x63xf32"))
    assert "quench.linear" in found["message"]
    assert found["range"]["start"]["line"] == 3
    assert found["severity"] == 1
