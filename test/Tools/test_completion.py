# ===- test_completion.py - quench-run completion ---------------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""Each shell reads its script and completes from it; the pages name the same options."""

import re
import subprocess
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "CommandLine.md"


@pytest.fixture
def script(quench_run, tmp_path):
    def write(shell):
        path = tmp_path / f"completion.{shell}"
        path.write_text(quench_run("completion", shell))
        return path

    return write


def output(*command, cwd):
    result = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=True)
    assert result.stderr == ""
    return result.stdout


@pytest.fixture
def bash(script, tmp_path):
    path = script("bash")

    def complete(*words):
        quoted = " ".join(f"'{word}'" for word in words)
        return output("bash", "-uc", f"""source {path}; COMP_WORDS=(quench-run {quoted}); COMP_CWORD={len(words)}
            _quench_run; printf '%s\\n' "${{COMPREPLY[@]}}" """, cwd=tmp_path).split("\n")[:-1]

    return complete


@pytest.fixture
def fish(script, tmp_path):
    path = script("fish")

    def complete(*words):
        lines = output("fish", "--no-config", "-c", f"source {path}; complete -C 'quench-run {' '.join(words)}'", cwd=tmp_path)
        return [line.split("\t")[0] for line in lines.splitlines()]

    return complete


@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_words(shell, request, tmp_path):
    complete = request.getfixturevalue(shell)
    assert sorted(complete("com")) == ["compile", "completion"]
    assert complete("generate", "--act") == ["--activations"]
    assert sorted(complete("generate", "--activations", "")) == ["f32", "i8"]
    assert sorted(complete("cache", "l")) == ["list"]
    assert "--prompt-tokens" in complete("bench", "--")
    assert complete("completion", "b") == ["bash"]
    (tmp_path / "a model.gguf").touch()
    assert [word.replace("\\", "") for word in complete("inspect", "a")] == ["a model.gguf"]
    assert [word.replace("\\", "") for word in complete("generate", "m", "-f", "a")] == ["a model.gguf"]
    # A number is nobody's to guess.
    assert complete("generate", "m", "--threads", "a") in ([], [""])


def test_zsh_reads_its_script(script, tmp_path):
    path = script("zsh")
    command = f"autoload -U compinit; compinit -D -u; source {path}; print $_comps[quench-run]; whence -w _quench_run"
    assert output("zsh", "-fc", command, cwd=tmp_path).split() == ["_quench_run", "_quench_run:", "function"]
    text = path.read_text()
    assert "'(--activations)--activations[For a GGUF file\\: i8]:TYPE:(i8 f32)'" in text
    assert "'(-f --file)-f[Reads the text from a file]:FILE:_files'" in text


def test_unknown_shell(quench_run):
    quench_run("completion", "tcsh", status=2)
    assert "tcsh" in quench_run.error and "bash" in quench_run.error


def test_options_of_the_page(script):
    """docs/CommandLine.md names every option, by one of its names, and none that is not there."""
    options = [re.findall(r" -[ls] (\S+)", line) for line in script("fish").read_text().splitlines() if " -l " in line]
    named = set(re.findall(r"(?<![\w-])--?([a-z][a-z0-9-]*)", PAGE.read_text()))
    assert [names for names in options if not named & set(names)] == []
    known = {name for names in options for name in names} | {"version"}
    assert {name for name in re.findall(r"`--([a-z][a-z0-9-]+)", PAGE.read_text())} - known == set()
