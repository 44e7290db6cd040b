"""Checks dist/release: with third-party tools, and on a system with nothing but Python.

As root, with mmdebstrap, the system is a new Debian (created once, in .cache/clean-root-*.tar); elsewhere it
is an environment whose PATH contains nothing but a virtual environment. With qemu-user-static, the packages
for aarch64 are also used in a Debian for that processor.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RELEASE = ROOT / "dist" / "release"
HERE = "x86_64" if os.uname().machine == "x86_64" else "aarch64"
DEBIANS = {"x86_64": "amd64", "aarch64": "arm64"}
DEBIAN = DEBIANS[HERE]


def run(*words: object, **options: object) -> str:
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{words} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def only(pattern: str) -> Path:
    found = sorted(RELEASE.glob(pattern))
    if len(found) != 1:
        raise AssertionError(f"found {len(found)} files {pattern} in {RELEASE}, expected one; run make dist")
    return found[0]


class Files(unittest.TestCase):
    """The content of the files."""

    def test_checksums(self) -> None:
        names = set()
        for line in (RELEASE / "SHA256SUMS").read_text().splitlines():
            digest, name = line.split("  ")
            names.add(name)
            self.assertEqual(digest, hashlib.sha256((RELEASE / name).read_bytes()).hexdigest(), name)
        self.assertEqual(names | {"SHA256SUMS"}, {path.name for path in RELEASE.iterdir()})

    def test_wheels(self) -> None:
        tools = Path(sys.executable).parent
        for wheel in RELEASE.glob("*.whl"):
            run(tools / "check-wheel-contents", wheel)
            run(tools / "twine", "check", wheel)
            self.assertLess(wheel.stat().st_size, 25e6)
        shown = run(tools / "auditwheel", "show", only(f"*{HERE}.whl"))
        tag = re.search(r'following platform\s+tag:\s+"([^"]*)"', shown)
        self.assertIsNotNone(tag, shown)
        self.assertIn(tag.group(1), f"manylinux_2_17_{HERE} manylinux_2_5_{HERE} manylinux_2_12_{HERE}")

    def test_annotations_hold(self) -> None:
        """What an editor shows of the installed package, by another checker than that of make test."""
        with tempfile.TemporaryDirectory() as folder:
            with zipfile.ZipFile(only(f"*{HERE}.whl")) as archive:
                archive.extractall(folder, [name for name in archive.namelist() if name.startswith("gosmp/")])
            # numpy, pandas and others are imported only if they are installed, which they need not be here.
            absent = {"reportMissingImports": "none", "reportMissingModuleSource": "none"}
            (Path(folder) / "pyrightconfig.json").write_text(json.dumps(absent))
            said = run(Path(sys.executable).parent / "pyright", "gosmp", cwd=folder)
        self.assertIn("0 errors, 0 warnings", said)

    def test_versions_agree(self) -> None:
        wheel = only(f"*{HERE}.whl")
        version = wheel.name.split("-")[1]
        with zipfile.ZipFile(wheel) as archive:
            metadata = archive.read(f"gosmp-{version}.dist-info/METADATA").decode()
        self.assertIn(f"\nVersion: {version}\n", metadata)
        package = only(f"gosmp_*_{DEBIAN}.deb")
        self.assertEqual(version, run("dpkg-deb", "-f", package, "Version").strip())
        self.assertRegex((ROOT / "CHANGELOG.md").read_text(), rf"(?m)^## {re.escape(version)} - \d")

    def test_programs_say_nothing_of_the_builder(self) -> None:
        for program in (ROOT / "dist" / "programs").iterdir():
            text = program.read_bytes()
            for place in (str(ROOT), str(Path.home()), ".venv-zig"):
                self.assertNotIn(place.encode() + (b"/" if place != ".venv-zig" else b""), text, program.name)
            if "linux" not in program.name:
                continue
            sections = run("readelf", "-S", program)
            self.assertNotRegex(sections, r"\.(symtab|debug)")
            needed = {v for v in re.findall(r"GLIBC_2\.(\d+)", run("readelf", "-V", program))}
            self.assertLessEqual(max(map(int, needed)), 17, program.name)

    def test_materials_are_the_modules(self) -> None:
        listed = json.loads(only(f"gosmp-*-linux-{DEBIAN}.cdx.json").read_text())
        names = {component["name"] for component in listed["components"] if component["type"] == "library"}
        shown = run("go", "version", "-m", ROOT / "dist" / "programs" / f"gosmp-linux-{DEBIAN}")
        self.assertEqual(names, set(re.findall(r"^\tdep\t(\S+)", shown, re.MULTILINE)))
        self.assertTrue([c for c in listed["components"] if c["name"].endswith(".fmu")])


def jobs() -> dict[str, list[str]]:
    """The commands in the jobs of docs/CI.md, by kind of server."""
    page = (ROOT / "docs" / "CI.md").read_text()
    github, gitlab, jenkins, container = re.findall(r"```\w+\n(.*?)```", page, re.DOTALL)
    return {
        "github": re.findall(r"- run: (.*)", github),
        "gitlab": [line for line in re.findall(r"    - (.*)", gitlab) if not line.startswith("junit")],
        "jenkins": [line.replace("venv/bin/", "") for line in re.findall(r"sh '(.*)'", jenkins)][1:],
        "container": [re.findall(r"&& (/opt/gosmp/bin/pip.*)", container)[0]],
    }


CHART = """<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><state id="a">
<onentry><send event="done" delay="1s"/></onentry><transition event="done" target="success"/></state>
<final id="success"/></scxml>"""
WORLD = """<bibi xmlns="http://schemas.humanbrainproject.eu/SP10/2014/BIBI">
<bodyModel robotId="ego">car</bodyModel><timestep>20</timestep></bibi>"""
EXPERIMENT = """<ExD xmlns="http://schemas.humanbrainproject.eu/SP10/2014/ExDConfig"
xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><name>waiting</name><description>waits</description>
<timeout time="simulation">10</timeout><environmentModel src="road.xodr">
<robotPose robotId="ego" x="60" y="-1.75" z="0" roll="0" pitch="0" yaw="0"/></environmentModel>
<bibiConf src="world.bibi"/><experimentEvaluation>
<stateMachine id="judge" xsi:type="SCXMLStateMachine" src="judge.scxml"/></experimentEvaluation></ExD>"""

FIRST = """
import gosmp
result = gosmp.run(gosmp.dummy_sensor(), stop_time=20)
assert result.passed and result.summary["steps"] == 1000, result
print("latitude", result["gps.latitude"][-1])
assert gosmp.call("plot", result.csv, "gps.latitude", "--out=first.svg").exit_code == 0
assert gosmp.run(gosmp.dummy_sensor(fmi=3), stop_time=1).passed
"""


class Clean(unittest.TestCase):
    """Use on a system without Go or a compiler."""

    processor = HERE
    debian = DEBIAN

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="gosmp-clean-"))
        cls.chroot = os.geteuid() == 0 and shutil.which("mmdebstrap") is not None
        cls.place = cls.folder / "root" if cls.chroot else cls.folder
        if cls.chroot:
            made = ROOT / ".cache" / f"clean-root-{cls.debian}.tar"
            if not made.exists():
                made.parent.mkdir(exist_ok=True)
                begun = made.with_suffix(".part.tar")
                run("mmdebstrap", "--skip=check/qemu", f"--architectures={cls.debian}", "--variant=apt",
                    "--include=python3,python3-venv", "bookworm", begun)
                begun.rename(made)
            cls.place.mkdir()
            run("tar", "-C", cls.place, "-xf", made)
            run("mount", "--bind", "/dev", cls.place / "dev")
            run("mount", "-t", "proc", "proc", cls.place / "proc")
        else:
            print("mmdebstrap or root is missing: tried in a bare environment, not on a new system", file=sys.stderr)
        for path in RELEASE.iterdir():
            (cls.place / "release").mkdir(exist_ok=True)
            shutil.copy(path, cls.place / "release")

    @classmethod
    def tearDownClass(cls) -> None:
        if cls.chroot:
            run("umount", cls.place / "proc")
            run("umount", cls.place / "dev")
        shutil.rmtree(cls.folder)

    def inside(self, script: str) -> str:
        """Runs a shell script where nothing is installed, in a folder with release/."""
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8"}
        if self.chroot:
            return run("chroot", self.place, "/bin/sh", "-ec", "cd /\n" + script, env=environment)
        tools = self.folder / "bin"
        if not tools.exists():
            tools.mkdir()
            for name in ("sh", "rm", "ls", "tar", "gzip", "find", "mkdir", "mv", "cp", "ln", "chmod"):
                (tools / name).symlink_to(shutil.which(name) or name)
            (tools / "python3").symlink_to(run(ROOT / "scripts/base_python.sh").strip())
        return run("/bin/sh", "-ec", script, env={**environment, "PATH": str(tools), "HOME": str(self.folder)}, cwd=self.place)

    def test_pip(self) -> None:
        begun = time.monotonic()
        said = self.inside(
            f"""python3 -m venv venv
            venv/bin/pip install --no-index --quiet release/*{self.processor}.whl
            venv/bin/python -c '{FIRST}'"""
        )
        print(f"{self.processor}: from nothing to a result and a picture in {time.monotonic() - begun:.1f} s")
        self.assertIn("latitude 48.", said)
        self.assertIn("<svg", (self.place / "first.svg").read_text())
        said = self.inside("venv/bin/gosmp --version; venv/bin/python -m gosmp --version")
        self.assertEqual(said.count("gosmp 0."), 2)
        self.inside("venv/bin/pip uninstall --quiet -y gosmp")
        self.assertEqual(self.inside("find venv -path '*gosmp*'").strip(), "")

    def test_jobs_of_build_servers(self) -> None:
        project = self.place / "project"
        (project / "experiments").mkdir(parents=True)
        (project / "wheels").mkdir()
        run(sys.executable, "-m", "pip", "download", "--quiet", "-d", project / "needed", "pytest")
        shutil.copy(only(f"*{HERE}.whl"), project / "wheels")
        shutil.copy(RELEASE / "OSMPDummySensor.fmu", project / "sensor.fmu")
        shutil.copy(ROOT / "examples" / "braking" / "road.xodr", project / "experiments")
        for name, text in ("judge.scxml", CHART), ("world.bibi", WORLD), ("waiting.exc", EXPERIMENT):
            (project / "experiments" / name).write_text(text)
        for server, lines in jobs().items():
            with self.subTest(server):
                self.assertTrue(lines)
                venv = "/opt/gosmp" if server == "container" else "job"
                if server == "container" and not self.chroot:
                    continue
                said = self.inside(
                    f"""cd project; rm -rf {venv} *.xml; python3 -m venv {venv}
                    export PIP_NO_INDEX=1 PIP_FIND_LINKS=needed PATH=$PWD/{venv}/bin:$PATH
                    """
                    + "\n".join(lines).replace("x86_64", HERE).replace(" /wheels/", " wheels/")
                )
                if server != "container":
                    self.assertIn("1 passed", said)
                    self.assertIn("<testsuite", (project / "check.xml").read_text())
                    self.assertIn('tests="1"', (project / "experiments.xml").read_text())
                    report = project / "reports" / "experiments" / "waiting.exc.html"
                    self.assertIn("waiting", report.read_text())
                    shutil.rmtree(project / "reports")

    def test_archive(self) -> None:
        self.inside(f"tar xzf release/gosmp-*-linux-{self.debian}.tar.gz")
        said = self.inside("cd gosmp-*; ./gosmp run OSMPDummySensor.fmu --stop-time 1 -o out.csv; ls")
        self.assertIn("out.csv", said)

    def test_any_name_and_place(self) -> None:
        """A worker is the command itself, wherever it is and whatever it is called."""
        nobody = "setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/tmp" if self.chroot else ""
        said = self.inside(
            f"""mkdir places; cd places; tar xzf ../release/gosmp-*-linux-{self.debian}.tar.gz; mv gosmp-* unpacked
            ln -s unpacked/gosmp linked; ln unpacked/gosmp hard; cp unpacked/gosmp 'an other näme'
            mkdir fixed; cp unpacked/gosmp fixed; chmod -R a-w fixed
            for program in unpacked/gosmp ./linked ./hard './an other näme'; do
                "$program" run unpacked/OSMPDummySensor.fmu --stop-time 1 --json
            done
            {nobody} fixed/gosmp run unpacked/OSMPDummySensor.fmu --stop-time 1 --json
            chmod -R u+w fixed"""
        )
        hashes = re.findall(r'"traceHash": "([0-9a-f]{64})"', said)
        self.assertEqual(len(hashes), 5, said)
        self.assertEqual(len(set(hashes)), 1, said)

    def test_deb(self) -> None:
        if not self.chroot:
            self.skipTest("dpkg -i needs root in a system of its own")
        before = self.inside("find / -xdev -newer /release -type f | sort | grep -v -e /var/ -e /etc/ld.so.cache -e /venv -e /.cache/ || true")
        self.inside(f"dpkg -i release/gosmp_*_{self.debian}.deb")
        said = self.inside("cd /tmp; gosmp run /usr/share/gosmp/OSMPDummySensor.fmu --stop-time 1 --json; gosmp check /usr/share/gosmp/*.fmu")
        self.assertIn('"complete": true', said)
        said = self.inside("bash -c '. /usr/share/bash-completion/completions/gosmp; complete -p gosmp'")
        self.assertIn("/usr/bin/gosmp", said)
        self.inside("dpkg -r gosmp")
        after = self.inside("find / -xdev -newer /release -type f | sort | grep -v -e /var/ -e /etc/ld.so.cache -e /venv -e /.cache/ || true")
        self.assertEqual(before, after)


# How the kernel recognizes programs for aarch64, which it then passes to the emulator.
MAGIC = r"\x7fELF\x02\x01\x01" + r"\x00" * 9 + r"\x02\x00\xb7\x00"
MASK = r"\xff" * 7 + r"\x00" + r"\xff" * 8 + r"\xfe\xff\xff\xff"


class Emulated(Clean):
    """The same on the other processor, as far as it needs no third-party packages."""

    processor = "aarch64"
    debian = "arm64"
    formats = Path("/proc/sys/fs/binfmt_misc")
    registered: Path | None = None

    @classmethod
    def setUpClass(cls) -> None:
        emulator = shutil.which("qemu-aarch64-static")
        if HERE == cls.processor or os.geteuid() != 0 or not emulator or not shutil.which("mmdebstrap"):
            raise unittest.SkipTest("needs an x86-64 processor, root, mmdebstrap and qemu-user-static")
        if not list(RELEASE.glob("*aarch64.whl")):
            raise unittest.SkipTest("make dist has not built it")
        if not (cls.formats / "register").exists():
            subprocess.run(["mount", "-t", "binfmt_misc", "none", cls.formats], check=False, capture_output=True)
        if not (cls.formats / "register").exists():
            raise unittest.SkipTest(f"this kernel lets nobody register programs in {cls.formats}")
        if not (cls.formats / "qemu-aarch64").exists():  # registered by the Debian package
            name = f"gosmp-aarch64-{os.getpid()}"
            (cls.formats / "register").write_text(f":{name}:M::{MAGIC}:{MASK}:{emulator}:F")
            cls.registered = cls.formats / name
        super().setUpClass()

    @classmethod
    def tearDownClass(cls) -> None:
        super().tearDownClass()
        if cls.registered:
            cls.registered.write_text("-1")

    def test_jobs_of_build_servers(self) -> None:
        self.skipTest("says nothing new about the processor")


if __name__ == "__main__":
    unittest.main()
