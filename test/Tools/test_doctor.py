# ===- test_doctor.py - quench-run doctor -----------------------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""What a bug report needs, and a failure that is named where something does not work."""

import shutil
import subprocess

import pytest


def test_report(quench_run, tmp_path):
    cache = str(tmp_path / "cache")
    report = quench_run.json("doctor", env={"QUENCH_CACHE": cache, "TMPDIR": str(tmp_path)})
    assert report["ok"] is True
    assert [step["name"] for step in report["self_test"]] == ["files", "compile", "cache", "run"]
    assert all(step["ok"] and step["milliseconds"] >= 0 for step in report["self_test"])
    assert report["cache"]["folder"] == cache and report["cache"]["entries"] == 0
    assert report["compiler"]["llvm"].startswith("22.") and len(report["compiler"]["build_id"]) >= 16
    assert 0 < report["memory"]["available"] <= report["memory"]["total"]
    assert report["processor"]["cores"] >= 1
    assert quench_run("--version") == f"quench-run {report['version']}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["cache"]


def test_report_for_people(quench_run):
    text = quench_run("doctor")
    for label in ("quench-run", "program", "compiler", "processor", "extensions", "memory", "system", "cache"):
        assert f"\n{label} " in "\n" + text
    assert "test: run      ok, " in text


def test_unusable_cache(quench_run, tmp_path):
    (tmp_path / "file").touch()
    report = quench_run.json("doctor", env={"QUENCH_CACHE": str(tmp_path / "file")}, status=3)
    assert report["ok"] is False and all(step["ok"] for step in report["self_test"])
    assert report["cache"]["error"] in quench_run.error
    assert "Not a directory; QUENCH_CACHE names another cache folder" in quench_run.error


def test_no_temporary_folder(quench_run, tmp_path):
    report = quench_run.json("doctor", env={"TMPDIR": str(tmp_path / "missing")}, status=3)
    assert [step["name"] for step in report["self_test"]] == ["files"]
    assert "self-test, files: " in quench_run.error and "TMPDIR names another folder" in quench_run.error


@pytest.fixture
def lonely(quench_run, tmp_path):
    """quench-run without the compiler beside it."""
    (tmp_path / "bin").mkdir()
    return type(quench_run)(shutil.copy(quench_run.path, tmp_path / "bin"))


def test_missing_compiler(lonely):
    report = lonely.json("doctor", status=3)
    assert "error" in report["compiler"] and report["self_test"][-1]["name"] == "compile"
    assert "libQuenchCompiler.so" in lonely.error and "no such file" in lonely.error


def test_no_network(quench_run):
    """docs/CommandLine.md: nothing is fetched or sent. The program does not even know how."""
    symbols = subprocess.run(["nm", "-D", "--undefined-only", quench_run.path], capture_output=True, text=True, check=True).stdout
    names = {line.split()[-1].split("@")[0] for line in symbols.splitlines()}
    assert "mmap" in names and not names & {"socket", "connect", "getaddrinfo", "gethostbyname"}
