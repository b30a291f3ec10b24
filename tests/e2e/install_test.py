# SPDX-License-Identifier: MIT
"""cmake --install gives programs that find each other, wherever they are put."""
import pathlib
import re
import subprocess
import sys
import tempfile

build = pathlib.Path(sys.argv[1]).resolve().parent.parent
with tempfile.TemporaryDirectory() as folder:
    subprocess.run(["cmake", "--install", build, "--prefix", folder], check=True, stdout=subprocess.DEVNULL)
    programs = pathlib.Path(folder) / "bin"

    def said(*words):
        ran = subprocess.run([programs / words[0], *words[1:]], capture_output=True, text=True, cwd=folder,
                             env={"HOME": folder, "PATH": "/usr/bin:/bin"}, timeout=60)
        assert ran.returncode == 0, ran
        return ran.stdout

    versions = {said(name, "--version") for name in ("beckon", "beckond", "beckon-filter")}
    assert len(versions) == 1, versions
    assert re.fullmatch(r"\d+\.\d+\.\d+ \((commit [0-9a-f]{7,}(-dirty)?|no git commit known)\)\n", versions.pop())
    assert "beckon filter" in said("beckon", "filter", "--help")
    said("beckon", "up", "--listen", "127.0.0.1:0")
    try:
        assert "Node" in said("beckon", "status")
    finally:
        said("beckon", "down")
print("install: the three programs of one version find each other")
