# ===- test_cache_trouble.py - a cache that is damaged, full, shared, read-only ===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""Whatever happens to a run or to the cache, the next run works, uses nothing that is half written, and tidies up."""

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import time

import pytest

from make_tiny_model import TinyModel

PROMPT = ["-p", "to be or not", "-n", "6"]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """With 2 MB of weights, so that writing them takes a while."""
    path = tmp_path_factory.mktemp("model") / "tiny.gguf"
    path.write_bytes(TinyModel(layers=1, embedding=256, feed_forward=4096, head_dim=64).build().build())
    return path


@pytest.fixture(scope="module")
def expected(quench_run, model):
    return quench_run("generate", model, *PROMPT)


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


def environment(cache):
    return {**os.environ, "QUENCH_CACHE": str(cache)}


def notes(error):
    return [line for line in error.splitlines() if line.startswith("quench-run: note: ")]


def leftovers(folder):
    return [path for path in folder.rglob("*") if ".tmp-" in path.name]


def without_privileges():
    """For a root whom no permission stops: what makes the command's root obey them."""
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner"] if os.geteuid() == 0 else []


def kill_at(command, env, moment, watched):
    """Kills a run after `moment` seconds; with `watched`, counted from when something new appears in a folder of it.
    True if it was still running."""
    def names():
        return {name for folder in watched for name in os.listdir(folder)} if watched else set()

    before = names()
    with subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while watched and names() == before and process.poll() is None:
            pass
        time.sleep(moment)
        process.send_signal(signal.SIGKILL)
        return process.wait() == -signal.SIGKILL


def test_killed_while_the_cache_is_filled(quench_run, model, expected, cache):
    """Of what a run writes some is missing each time; it is killed at a random moment of writing it. What is random is the
    part of the time that a run takes on this machine; one that ended before is none of the forty."""
    rng = random.Random(1)
    command = [quench_run.path, "generate", model, *PROMPT]
    kinds = ["code", "weights", "packages", "sources", "own"]
    quench_run("generate", model, *PROMPT, env=environment(cache))
    killed = attempt = 0
    longest = {True: 0.02, False: 0.2}  # of a moment, with and without `watched`
    while killed < 40:
        # To compile takes longest, so it is not done each time.
        missing = kinds if attempt % 8 == 0 else ["weights"] + rng.sample(["own", "sources"], rng.randint(0, 2))
        for kind in missing:
            shutil.rmtree(cache / kind)
            (cache / kind).mkdir()
        watched = [cache / kind for kind in missing] if rng.random() < 0.8 else []
        if kill_at(command, environment(cache), rng.uniform(0, longest[bool(watched)]), watched):
            killed += 1
        else:
            longest[bool(watched)] *= 0.8
        attempt += 1
        assert attempt < 200, "most runs end before they can be killed"
        assert quench_run("generate", model, *PROMPT, env=environment(cache)) == expected
        assert not notes(quench_run.error)
        assert not leftovers(cache)


def test_killed_while_a_package_is_written(quench_run, model, expected, cache, tmp_path):
    rng = random.Random(2)
    output = tmp_path / "out" / "package"
    output.parent.mkdir()
    for attempt in range(10):
        kill_at([quench_run.path, "compile", model, "-o", output], environment(cache),
                rng.uniform(0, 0.03 if attempt % 4 else 1), [output.parent] if attempt % 4 else [])
        # There is nothing, or all of it.
        if not output.exists():
            quench_run("compile", model, "-o", output, env=environment(cache))
        assert list(output.parent.iterdir()) == [output]
        assert quench_run("generate", output, *PROMPT, env=environment(cache)) == expected
        shutil.rmtree(output)


def test_processes_that_fill_one_cache(quench_run, model, expected, cache):
    for _ in range(3):
        runs = [subprocess.Popen([quench_run.path, "generate", model, *PROMPT], env=environment(cache), stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace") for _ in range(3)]
        for run in runs:
            output, error = run.communicate(timeout=120)
            assert (run.returncode, output, notes(error)) == (0, expected, [])
        assert not leftovers(cache)
        shutil.rmtree(cache / "weights")
        shutil.rmtree(cache / "own")


def check_unkept(done, expected, *mentions):
    """A run that could keep nothing says so in one line, and is a run like any other."""
    assert (done.returncode, done.stdout) == (0, expected), done.stderr
    (note,) = notes(done.stderr)
    assert "is not kept" in note and "QUENCH_CACHE" in note
    for mention in mentions:
        assert str(mention) in note


def run(command, cache, **options):
    return subprocess.run(command, env=environment(cache), stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
                          errors="replace", timeout=120, check=False, **options)


def test_full_disk(quench_run, model, expected, cache):
    """As full as it is for a file of more than 200 kB, which here are the weights."""
    command = [quench_run.path, "generate", model, *PROMPT]

    def limit_files():
        # Ignored, the signal becomes an error of write(), as a full disk is.
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

    for _ in range(2):  # the second time with code from the cache
        check_unkept(run(command, cache, preexec_fn=limit_files), expected, cache, "cannot write")
        assert not leftovers(cache)
    done = run(command, cache)
    assert (done.returncode, done.stdout, notes(done.stderr)) == (0, expected, [])


def test_no_place_for_packages(quench_run, model, expected, cache, tmp_path):
    """The package then is one for this run."""
    cache.mkdir()
    (cache / "packages").symlink_to("/proc/self/task")  # where nobody can make anything
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    command = ["env", f"TMPDIR={scratch}", quench_run.path, "generate", model, *PROMPT]
    for _ in range(2):
        check_unkept(run(command, cache), expected, cache / "packages")
        assert list(scratch.iterdir()) == []


def test_no_cache(quench_run, model, expected, tmp_path):
    (tmp_path / "file").write_text("")
    cache, output = tmp_path / "file" / "cache", tmp_path / "package"
    done = run([quench_run.path, "generate", model, *PROMPT, "--timings", "--json"], cache)
    assert done.returncode == 0 and json.loads(done.stdout)["timings"]["start"] == "cold"
    # It compiles once.
    assert [stage["name"] for stage in json.loads(done.stdout)["timings"]["stages"]].count("compile") == 1
    check_unkept(run([quench_run.path, "generate", model, *PROMPT], cache), expected, cache)
    assert run([quench_run.path, "compile", model, "-o", output], cache).returncode == 0
    # Its code is not known as one's own, so it is made again.
    done = run([quench_run.path, "generate", output, *PROMPT], cache)
    assert (done.returncode, done.stdout, len(notes(done.stderr))) == (0, expected, 2)
    # Commands about the cache itself fail.
    done = run([quench_run.path, "cache"], cache)
    assert done.returncode == 3 and "QUENCH_CACHE" in done.stderr


@pytest.mark.parametrize("warm", [False, True])
def test_read_only_cache(quench_run, model, expected, cache, warm):
    """What is in it serves; what is not is made for this run."""
    command = [quench_run.path, "generate", model, *PROMPT]
    quench_run("cache", env=environment(cache))
    if warm:
        quench_run("generate", model, *PROMPT, env=environment(cache))
    folders = [cache, *(path for path in cache.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    try:
        done = run([*without_privileges(), *command], cache)
        if warm:
            assert (done.returncode, done.stdout, notes(done.stderr)) == (0, expected, [])
        else:
            check_unkept(done, expected, cache, "Permission denied")
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert bool(list((cache / "code").iterdir())) == warm


def test_cache_of_another_version(quench_run, model, expected, cache):
    """Entries say their version; each kind of file is ignored with a line, and made again."""
    quench_run("generate", model, *PROMPT, env=environment(cache))
    for kind in "code", "weights":
        (entry,) = (cache / kind).iterdir()
        data = bytearray(entry.read_bytes())
        assert data[-128:-120] == b"QuenchCE"
        data[-120] += 1
        entry.write_bytes(data)
    (manifest,) = (cache / "packages").glob("*/manifest.json")
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"version": 99}))
    assert quench_run("generate", model, *PROMPT, env=environment(cache)) == expected
    assert len(notes(quench_run.error)) == 2, quench_run.error  # the code comes with the package
    for mention in (str(manifest), "99"), ("/weights/", "version 2, expected 1"):
        assert [line for line in notes(quench_run.error) if all(text in line for text in mention)]
    assert quench_run("generate", model, *PROMPT, env=environment(cache)) == expected and not notes(quench_run.error)
