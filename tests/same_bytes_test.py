# SPDX-License-Identifier: MIT
"""A file compiled in two folders gives the same bytes, debug information included."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
OBJECT = "base/CMakeFiles/base.dir/signature_rule.cpp.o"  # it has an ENSURE, hence the name of a file

with tempfile.TemporaryDirectory() as folder:
    compiled = []
    for place in ("one", "another/and/deeper"):
        copy = pathlib.Path(folder, place)
        shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("build", ".git"))
        subprocess.run(["cmake", "-S", copy, "-B", copy / "build", "-G", "Ninja", "-DBUILD_TESTING=OFF",
                        "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON", "-DCMAKE_CXX_FLAGS=-g", *sys.argv[1:]], check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run(["ninja", "-C", copy / "build", OBJECT], check=True, stdout=subprocess.DEVNULL,
                       env={"PATH": "/usr/bin:/bin", "CCACHE_DISABLE": "1"})
        compiled.append((copy / "build" / OBJECT).read_bytes())
assert folder.encode() not in compiled[0], "the object names the folder it was built in"
assert compiled[0] == compiled[1], "the object depends on the folder it was built in"
print(f"same bytes: {len(compiled[0])} bytes in both folders")
