#===- test_summarize.py - the count at the end of check.sh is right -------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#===-----------------------------------------------------------------------===#
"""Checks summarize.py on results in the forms that ctest, lit and pytest write."""

import summarize

CTEST = """<testsuite name="Linux-clang" tests="3">
  <testcase name="Formats/Half.RoundTrip" classname="Formats/Half.RoundTrip" status="run"><system-out/></testcase>
  <testcase name="Tile/Vnni.Runs" classname="Tile/Vnni.Runs" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
    <system-out>[ RUN      ] Vnni.Runs
TileTest.cpp:12: Skipped
needs avx512vnni
[  SKIPPED ] Vnni.Runs (0 ms)</system-out></testcase>
  <testcase name="Formats/Half.Nan" classname="Formats/Half.Nan" status="fail"><failure message=""/></testcase>
</testsuite>"""

LIT = """<testsuites>
<testsuite name="Quench" tests="3" failures="0" skipped="1">
<testcase classname="Quench.Dialect" name="ops.mlir" time="0.05"/>
<testcase classname="Quench.Target" name="vnni.mlir" time="0.00">
  <skipped message="missing required feature(s): avx512vnni"/>
</testcase>
<testcase classname="Quench.Tools" name="run.test" time="0.05"/>
</testsuite>
</testsuites>"""

PYTEST_SKIP = """<testsuites><testsuite name="pytest" tests="1">
<testcase classname="EndToEnd.test_run" name="test_text"><skipped type="pytest.skip" message="{}"/></testcase>
</testsuite></testsuites>"""


def run(tmp_path, steps, files):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "steps.tsv").write_text("".join(f"{a}\t{b}\t{c}\n" for a, b, c in steps))
    return summarize.summarize(tmp_path)


def test_counts_cases_of_every_suite(tmp_path):
    summary = run(tmp_path, [("unit", "suite", 8), ("lit", "suite", 0)], {"unit.xml": CTEST, "lit.xml": LIT})
    assert summary.last_line() == "3 passed, 1 failed, 2 skipped"
    assert summary.failures == ["unit: Formats/Half.Nan"]
    assert summary.exit_status() == 1


def test_hardware_skips_alone_do_not_fail(tmp_path):
    summary = run(tmp_path, [("lit", "suite", 0)], {"lit.xml": LIT})
    assert summary.last_line() == "2 passed, 0 failed, 1 skipped"
    assert summary.exit_status() == 0


def test_skip_without_hardware_is_a_failure(tmp_path):
    passing = [("format", "check", 0)]
    xml = {"py.xml": PYTEST_SKIP.format("could not import 'gguf'")}
    assert run(tmp_path, passing + [("py", "suite", 0)], xml).last_line() == "1 passed, 1 failed, 0 skipped"
    xml = {"py.xml": PYTEST_SKIP.format("needs a CUDA device")}
    assert run(tmp_path, passing + [("py", "suite", 0)], xml).last_line() == "1 passed, 0 failed, 1 skipped"


def test_checks_count_and_builds_do_not(tmp_path):
    steps = [("format", "check", 0), ("tidy", "check", 1), ("build", "build", 0), ("runtime-build", "build", 2)]
    summary = run(tmp_path, steps, {})
    assert summary.last_line() == "1 passed, 2 failed, 0 skipped"
    assert summary.failures == ["tidy: exit status 1", "runtime-build: exit status 2"]


def test_suite_without_results_fails(tmp_path):
    empty = "<testsuites><testsuite name='pytest' tests='0'/></testsuites>"
    steps = [("absent", "suite", 0), ("empty", "suite", 0), ("cut", "suite", 0)]
    summary = run(tmp_path, steps, {"empty.xml": empty, "cut.xml": LIT[:80]})
    assert summary.last_line() == "0 passed, 3 failed, 0 skipped"


def test_crash_of_a_runner_is_not_lost(tmp_path):
    summary = run(tmp_path, [("lit", "suite", 2)], {"lit.xml": LIT})
    assert summary.last_line() == "2 passed, 1 failed, 1 skipped"


def test_nothing_run_is_not_success(tmp_path):
    assert run(tmp_path, [("build", "build", 0)], {}).exit_status() == 1
