#!/usr/bin/env python3
"""Checks that every room includes and links only what its arrows allow.

The rooms are the folders of lib/ and include/kami/. An arrow means "may
include", and so may include what that one may; nothing else. With --self-test,
checks that this script notices what it exists to notice.
"""

import os
import re
import sys
import tempfile

ARROWS = {
    "Layout": [],
    "Target": ["Layout"],
    "Model": ["Target"],
    "Plan": ["Model"],
    "IR": ["Layout"],
    "Bridge": ["IR", "Plan"],
    "Transforms": ["Bridge"],
    "Conversion": ["Bridge"],
    "Simulator": ["Bridge"],
    "Pipelines": ["Transforms", "Conversion"],
    "Runtime": [],
    "Driver": ["Pipelines", "Simulator", "Runtime"],
    "CAPI": ["Driver"],
}

# What a room may not include although its arrows reach it, as prefixes of the
# path behind kami/. Lowering obeys plans, so it neither makes nor scores one;
# the simulator is the referee and takes nothing that a plan is made from.
EXCEPT = {
    "Conversion": ["Plan/Planner.h", "Model/"],
    "Simulator": ["Plan/", "Model/"],
}

# A folder of Conversion knows no other, but for what they have in common.
SHARED_PAIRS = ["KamiToLanes", "KamiToLLVM"]

# Planning is a fast unit test, and the runtime serves other languages, because
# these hold no compiler.
WITHOUT_MLIR = ["Layout", "Target", "Model", "Plan", "Runtime"]
WITHOUT_LLVM = ["Runtime"]

SOURCES = (".h", ".hpp", ".cpp", ".c", ".td", ".inc")
INCLUDE = re.compile(r'^\s*#?\s*include\s*["<]([^">]+)[">]')
KEYWORDS = {"SOURCES", "LINK", "LLVM", "DEPENDS"}


def reachable(room):
    """The room itself and all that its arrows lead to."""
    seen = {room}
    waiting = [room]
    while waiting:
        for other in ARROWS[waiting.pop()]:
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return seen


def files(root, top):
    for folder, _, names in os.walk(os.path.join(root, top)):
        for name in sorted(names):
            yield os.path.join(folder, name)


def place(root, path):
    """(room, folder within the room) of a file under lib/ or include/kami/."""
    parts = os.path.relpath(path, root).split(os.sep)
    parts = parts[2:] if parts[0] == "include" else parts[1:]
    if len(parts) < 2:
        return None, None
    return parts[0], parts[1] if len(parts) > 2 else None


def pair_of(included):
    """The folder of Conversion that a path behind kami/ lies in, if any."""
    parts = included.split("/")
    return parts[1] if parts[0] == "Conversion" and len(parts) > 2 else None


def is_rival(folder, pair):
    """Whether a folder of Conversion must not know another one."""
    return bool(pair) and pair != folder and pair not in SHARED_PAIRS


def objection(room, folder, included):
    """Why a file of `room` must not include kami/`included`, or None."""
    other = included.split("/")[0]
    if other not in ARROWS:
        return f"there is no room {other}"
    if other not in reachable(room):
        return f"{room} has no arrow to {other}"
    if any(included.startswith(prefix) for prefix in EXCEPT.get(room, [])):
        return f"{room} must not know kami/{included}"
    pair = pair_of(included)
    if room == "Conversion" and folder and is_rival(folder, pair):
        return f"conversion {folder} must not know {pair}"
    return None


def check_include(room, folder, included):
    if included.startswith("mlir/") and room in WITHOUT_MLIR:
        return f"{room} is without MLIR"
    if included.startswith("llvm/") and room in WITHOUT_LLVM:
        return f"{room} is without LLVM"
    if included.startswith("kami/"):
        return objection(room, folder, included[len("kami/"):])
    if ".." in included.split("/"):
        return "an include climbs out of its folder"
    return None


def check_sources(root):
    for top in ("include/kami", "lib"):
        for path in files(root, top):
            room, folder = place(root, path)
            if room is None or not path.endswith(SOURCES):
                continue
            if room not in ARROWS:
                yield f"{os.path.relpath(path, root)}: there is no room {room}"
                continue
            with open(path, encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    match = INCLUDE.match(line)
                    why = match and check_include(room, folder, match[1])
                    if why:
                        where = os.path.relpath(path, root)
                        yield f"{where}:{number}: {match[1]}: {why}"


def libraries(root):
    """(file, room, folder, name, keyword → items) of each kami_add_library."""
    for path in files(root, "lib"):
        if os.path.basename(path) != "CMakeLists.txt":
            continue
        room, folder = place(root, path)
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"#.*", "", file.read())
        for call in re.findall(r"kami_add_library\s*\(([^)]*)\)", text):
            name, *words = call.split()
            lists, keyword = {}, None
            for word in words:
                if word in KEYWORDS:
                    keyword = word
                else:
                    lists.setdefault(keyword, []).append(word)
            yield os.path.relpath(path, root), room, folder, name, lists


def check_links(root):
    known = list(libraries(root))
    home = {name: (room, folder) for _, room, folder, name, _ in known}
    for where, room, folder, name, lists in known:
        if room not in ARROWS:
            yield f"{where}: {name}: there is no room {room}"
            continue
        for item in lists.get("LINK", []):
            if item in home:
                other, pair = home[item]
                # A library is the whole room, so exceptions for single headers
                # are left to the includes.
                allowed = other in reachable(room)
                rival = room == other == "Conversion" and folder
                if not allowed or (rival and is_rival(folder, pair)):
                    yield f"{where}: {name} must not link {item}"
            elif item.startswith("Kami"):
                yield f"{where}: {name} links {item}, which does not exist"
        for item in lists.get("LLVM", []):
            if room in WITHOUT_LLVM or (
                room in WITHOUT_MLIR and item.startswith("MLIR")
            ):
                yield f"{where}: {name} must not link {item}"


def check(root):
    return list(check_sources(root)) + list(check_links(root))


GOOD = {
    "lib/Layout/CMakeLists.txt": "kami_add_library(KamiLayout LLVM LLVMSupport)",
    "lib/IR/CMakeLists.txt": "kami_add_library(KamiIR LINK KamiLayout LLVM MLIRIR)",
    "lib/Bridge/Bridge.cpp": '#include "kami/Layout/X.h"\n#include "kami/Plan/Planner.h"\n',
    "lib/Simulator/Run.cpp": '#include "kami/Bridge/X.h"\n#include "kami/Target/X.h"\n',
    "include/kami/IR/KamiOps.td": 'include "kami/IR/KamiTypes.td"\n',
    "lib/Conversion/KamiToNVGPU/X.cpp": '#include "kami/Conversion/KamiToNVGPU/X.h"\n'
    '#include "kami/Plan/Plan.h"\n',
    "lib/Conversion/KamiToAMDGPU/X.cpp": '#include "kami/Conversion/KamiToLanes/X.h"\n',
}

PLANTED = {
    "lib/Layout/X.cpp": '#include "kami/Target/Atom.h"\n',
    "include/kami/Plan/X.h": '#include "mlir/IR/Builders.h"\n',
    "lib/Runtime/X.cpp": '#include "llvm/ADT/StringRef.h"\n',
    "include/kami/IR/X.td": 'include "kami/Plan/X.td"\n',
    "lib/Simulator/X.cpp": "#include <kami/Plan/Planner.h>\n",
    "lib/Simulator/Y.cpp": '#include "kami/Conversion/Passes.h"\n',
    "lib/Conversion/KamiToNVGPU/Y.cpp": '#include "kami/Conversion/LinalgToKami/X.h"\n',
    "lib/Conversion/KamiToLanes/X.cpp": '#include "kami/Conversion/KamiToNVGPU/X.h"\n',
    "lib/Conversion/KamiToNVGPU/Z.cpp": '  #  include "kami/Plan/Planner.h"\n',
    "lib/Transforms/X.cpp": '#include "../Conversion/X.h"\n',
    "lib/Utils/X.cpp": "\n",
    "lib/Model/X.cpp": '#include "kami/Common/X.h"\n',
    "lib/Target/CMakeLists.txt": "kami_add_library(KamiTarget LINK KamiLayout KamiIR)",
    "lib/Model/CMakeLists.txt": "kami_add_library(KamiModel LLVM MLIRIR)",
    "lib/Plan/CMakeLists.txt": "kami_add_library(KamiPlan LINK\n  KamiModell)",
}


def write(root, tree):
    for path, text in tree.items():
        path = os.path.join(root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def self_test():
    problems = []
    with tempfile.TemporaryDirectory() as root:
        write(root, GOOD)
        problems += [f"objects to what is right: {found}" for found in check(root)]
        for path, text in PLANTED.items():
            write(root, {path: text})
            if not any(found.startswith(path) for found in check(root)):
                problems.append(f"does not notice {path}: {text.strip()}")
            os.remove(os.path.join(root, path))
    return problems


def main():
    if sys.argv[1:] == ["--self-test"]:
        problems = self_test()
    else:
        problems = check(os.path.join(os.path.dirname(__file__), ".."))
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
