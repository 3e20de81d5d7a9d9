#!/usr/bin/env python3
"""run-tests.py BUILD: runs every check and every test on a finished build.

Prints each suite's own words, then one line for each suite, and at the very end
the sum of all, alone on its line: "N passed, N failed", with ", N skipped"
where any were. Exits with 1 if anything failed.
"""

import glob
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections import namedtuple

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
LLVM_PREFIX = os.environ.get("LLVM_PREFIX", "/usr/lib/llvm-22")

Count = namedtuple("Count", "passed failed skipped")


def run(command):
    print("+", " ".join(command), flush=True)
    try:
        return subprocess.run(command, cwd=ROOT).returncode
    except OSError as error:
        print(error, flush=True)
        return 127


def check(*command):
    """A script that passes or fails as a whole."""
    status = run(list(command))
    return Count(int(status == 0), int(status != 0), 0)


def read_junit(path):
    """Counts test cases, since the totals of ctest and lit differ in meaning."""
    passed = failed = skipped = 0
    for case in ElementTree.parse(path).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is not None or case.get("status") == "disabled":
            skipped += 1
        else:
            passed += 1
    return Count(passed, failed, skipped)


def junit(path, *command):
    """A test runner that leaves a JUnit report at `path`."""
    status = run(list(command))
    try:
        count = read_junit(path)
    except (OSError, ElementTree.ParseError) as error:
        print(f"no report of {command[0]}: {error}", flush=True)
        return Count(0, 1, 0)
    # A suite without tests has not been tested, and a runner that fails beside
    # its tests (one that it could not load, say) must not pass for green.
    if (status != 0 and count.failed == 0) or sum(count) == 0:
        print(f"{command[0]} ended with status {status}", flush=True)
        return count._replace(failed=count.failed + 1)
    return count


def python(build, report):
    """Style, types and tests of the package, where its environment can be made."""
    status = run([os.path.join(ROOT, "scripts", "test-python.sh"), build, report])
    if status == 77:
        print("skipped: no private Python environment, for the reason above")
        return Count(0, 0, 1)
    if status != 0 and not os.path.exists(report):
        return Count(0, 1, 0)
    count = read_junit(report)
    return count._replace(failed=max(count.failed, int(status != 0)))


def wheel():
    """The wheel, if somebody has built it."""
    wheels = glob.glob(os.path.join(ROOT, "dist", "kami-*.whl"))
    if not wheels:
        print("skipped: no dist/kami-*.whl; `make wheel` builds and tries it")
        return Count(0, 0, 1)
    sources = glob.glob(os.path.join(ROOT, "python", "kami", "*.py"))
    if os.path.getmtime(wheels[0]) < max(map(os.path.getmtime, sources)):
        print("skipped: the wheel is older than python/kami; `make wheel` builds anew")
        return Count(0, 0, 1)
    return check(os.path.join(ROOT, "scripts", "check-wheel.sh"), wheels[0])


def suites(build, reports):
    script = lambda name: os.path.join(ROOT, "scripts", name)
    unit, lit = os.path.join(reports, "unit.xml"), os.path.join(reports, "lit.xml")
    interpreter = sys.executable
    return [
        ("format", lambda: check(script("format.sh"), "--check")),
        ("arrows", lambda: check(interpreter, script("check-arrows.py"))),
        (
            "arrows notices",
            lambda: check(interpreter, script("check-arrows.py"), "--self-test"),
        ),
        ("docs", lambda: check(script("check-docs.sh"))),
        (
            "unit",
            lambda: junit(
                unit, "ctest", "--test-dir", build, "--output-on-failure",
                "--no-tests=error", "--parallel", str(os.cpu_count()),
                "--output-junit", unit,
            ),
        ),
        (
            "lit",
            lambda: junit(
                lit, os.path.join(LLVM_PREFIX, "bin", "lit"), "-sv",
                "--xunit-xml-output", lit, os.path.join(build, "test"),
            ),
        ),
        ("python", lambda: python(build, os.path.join(reports, "python.xml"))),
        ("wheel", wheel),
        ("consumer", lambda: check(script("check-consumer.sh"), build)),
    ]


def find_vulkan():
    """Where scripts/vulkan.sh put a software device, which lit is told; None,
    with the script's reason printed, where it could not."""
    script = os.path.join(ROOT, "scripts", "vulkan.sh")
    chosen = os.environ.get("KAMI_VULKAN")
    made = subprocess.run(
        [script] + ([chosen] if chosen else []), stdout=subprocess.PIPE, text=True
    )
    return made.stdout.strip() if made.returncode == 0 else None


def words(count):
    text = f"{count.passed} passed, {count.failed} failed"
    return f"{text}, {count.skipped} skipped" if count.skipped else text


def main():
    if len(sys.argv) != 2:
        print("usage: run-tests.py BUILD", file=sys.stderr)
        return 2
    build = os.path.abspath(sys.argv[1])
    folder = find_vulkan()
    if folder:
        os.environ["KAMI_VULKAN"] = folder
    else:
        print("SPIR-V is neither validated nor run", flush=True)
    results = []
    with tempfile.TemporaryDirectory() as reports:
        for name, suite in suites(build, reports):
            start = time.monotonic()
            count = suite()
            results.append((name, count, time.monotonic() - start))
    print()
    for name, count, seconds in results:
        print(f"{name:15} {words(count):35} {seconds:6.1f} s")
    total = Count(*(sum(column) for column in zip(*(r[1] for r in results))))
    print(words(total))
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
