#===- handbook_text.py - English prose for perplexity and calibration -----===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#===-----------------------------------------------------------------------===#
"""Writes calib.txt and eval.txt, the same bytes on every machine, and prints the path of eval.txt.

usage: handbook_text.py FOLDER

The prose is that of the English pages of the Debian package named below. In name order, every fourth page goes
to eval.txt and the others to calib.txt, so that the two have no page in common. A heading, paragraph or list
item of more than 40 characters becomes one line, its white space collapsed; listings are left out, and of equal
lines in one file only the first stays. The package is unpacked, not installed: slim systems leave out
/usr/share/doc, and an installation would be for root only.
"""

import hashlib
import html.parser
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

PACKAGE, VERSION = "debian-handbook", "11.20220922"
SHA256 = "3d5dbeac1f1afc9c094eab9d0f701f6ecff99c4927d5a4794cf6c85678134faa"
PAGES = "./usr/share/doc/debian-handbook/html/en-US/"
DIGESTS = {
    "calib.txt": "d943a09f6fc185f252f4313f34aef211ca0934c88d1d0d70778ff8ee015a901c",
    "eval.txt": "ab743644299dd1cc173ab1af3c4c1e3f198424cc009a1f36f4820ba795cf019d",
}

# A line ends where one of these elements begins or ends.
LINE_ELEMENTS = frozenset(["p", "div", "li", "dd", "h1", "h2", "h3"])
SILENT_ELEMENTS = frozenset(["pre", "head", "script", "style"])
SHORTEST_LINE = 41


class LineCollector(html.parser.HTMLParser):
    """Collects a page's lines of prose in `lines`."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.lines = []
        self._text = ""
        self._silent_depth = 0

    def _end_line(self):
        line = " ".join(self._text.split())
        self._text = ""
        if len(line) >= SHORTEST_LINE:
            self.lines.append(line)

    def handle_starttag(self, tag, attrs):
        if tag in SILENT_ELEMENTS:
            self._silent_depth += 1
        elif tag in LINE_ELEMENTS:
            self._end_line()

    def handle_endtag(self, tag):
        if tag in SILENT_ELEMENTS:
            self._silent_depth -= 1
        elif tag in LINE_ELEMENTS:
            self._end_line()

    def handle_data(self, data):
        if self._silent_depth == 0:
            self._text += data


def lines_of(page):
    """The lines of prose of one page, given as text."""
    collector = LineCollector()
    collector.feed(page)
    return collector.lines


def texts_of(pages):
    """Both files' contents, from a mapping of page name to the page's text."""
    lines = {"calib.txt": [], "eval.txt": []}
    for number, name in enumerate(sorted(pages)):
        lines["eval.txt" if number % 4 == 3 else "calib.txt"] += lines_of(pages[name])
    return {file: "\n".join(dict.fromkeys(found)) + "\n" for file, found in lines.items()}


def download(folder):
    """Fetches the package into the folder, with one refresh of apt's lists where they are missing or old."""
    # apt's own user could not write into a folder that only this one can read.
    command = ["apt-get", "-q", "-o", "APT::Sandbox::User=root", "download", f"{PACKAGE}={VERSION}"]
    refresh = ["apt-get", "update", "-q"] if os.geteuid() == 0 else ["sudo", "apt-get", "update", "-q"]
    for step in (command, refresh, command):
        done = subprocess.run(step, cwd=folder, stdout=sys.stderr)
        found = list(folder.glob("*.deb"))
        if found:
            return found[0]
    sys.exit(f"error: `{' '.join(command)}` failed with exit status {done.returncode}")


def read_pages(deb):
    """The English pages of the package, by name."""
    found = hashlib.sha256(deb.read_bytes()).hexdigest()
    if found != SHA256:
        sys.exit(f"error: {deb.name} has SHA-256 {found}, expected {SHA256}")
    pages = {}
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(deb)], stdout=subprocess.PIPE) as process:
        with tarfile.open(fileobj=process.stdout, mode="r|") as archive:
            for member in archive:
                name = member.name.removeprefix(PAGES)
                if name != member.name and name.startswith("sect.") and name.endswith(".html"):
                    pages[name] = archive.extractfile(member).read().decode("utf-8")
    return pages


def digest_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def write_texts(folder):
    if all(digest_of(folder / name) == digest for name, digest in DIGESTS.items()):
        return
    print(f"Fetching the Debian package {PACKAGE} (35 MB) for its English text", file=sys.stderr)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".fetch-") as scratch:
        texts = texts_of(read_pages(download(pathlib.Path(scratch))))
        for name, text in texts.items():
            part = pathlib.Path(scratch) / name
            part.write_bytes(text.encode("utf-8"))
            if digest_of(part) != DIGESTS[name]:
                sys.exit(f"error: {name} has SHA-256 {digest_of(part)}, expected {DIGESTS[name]}")
            os.replace(part, folder / name)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: handbook_text.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    write_texts(folder)
    print(folder / "eval.txt")


if __name__ == "__main__":
    main()
