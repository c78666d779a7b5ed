#===- set_dialect_version.py - bytecode that claims another version ---------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#===------------------------------------------------------------------------===#
"""Changes the version of the quench dialect in sealed bytecode, and seals it again.

usage: set_dialect_version.py IN.mlirbc OUT.mlirbc VERSION

Reads just as much of MLIR's bytecode (mlir.llvm.org/docs/BytecodeFormat) as it takes to find the number: the dialect
section lists the dialects, each with a section of its own for its version if it has one, and quench alone has one.
"""

import ctypes
import sys

DIALECT_SECTION, DIALECT_VERSION_SECTION = 1, 7
SEAL = b"\nquench-program-1 "


class Hash128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


def content_hash(data):
    function = ctypes.CDLL("libxxhash.so.0").XXH3_128bits
    function.argtypes, function.restype = [ctypes.c_char_p, ctypes.c_size_t], Hash128
    value = function(data, len(data))
    return f"{value.high:016x}{value.low:016x}".encode()


class Reader:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        first = self.byte()
        extra = (first & -first).bit_length() - 1 if first else 8
        value = int.from_bytes(self.data[self.at - 1:self.at + extra], "little")
        self.at += extra
        return value >> (extra + 1) if first else value >> 8

    def section(self):
        """Identifier and extent of the section here."""
        head, length = self.byte(), self.varint()
        if head & 0x80:
            alignment = self.varint()
            while self.at % alignment:
                self.at += 1
        start, self.at = self.at, self.at + length
        return head & 0x7F, start, length


def version_place(data):
    """Where the one versioned dialect has its version."""
    reader = Reader(data, 4)
    reader.varint()  # of the format
    reader.at = data.index(b"\0", reader.at) + 1  # the producer
    while True:
        kind, start, length = reader.section()
        if kind == DIALECT_SECTION:
            break
    reader.at = start
    for _ in range(reader.varint()):
        if reader.varint() & 1:
            kind, start, length = reader.section()
            assert kind == DIALECT_VERSION_SECTION and length == 1, (kind, length)
            return start
    raise SystemExit("no dialect has a version")


def main():
    source, target, version = sys.argv[1:]
    with open(source, "rb") as file:
        data = file.read()
    data = bytearray(data[:data.rindex(SEAL)])
    data[version_place(data)] = int(version) << 1 | 1
    data = bytes(data)
    key = content_hash(data)
    with open(target, "wb") as file:
        file.write(data + SEAL + content_hash(data + key) + b" " + key + b"\n")


main()
