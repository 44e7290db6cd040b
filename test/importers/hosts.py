"""Processes in which the FMU has to behave: hosts with odd folders, streams, signals and children
of their own. Usage: hosts.py FUNCTION ARGUMENT...; the last line of output is the result as JSON.
"""

from __future__ import annotations

import ctypes
import faulthandler
import fcntl
import hashlib
import json
import multiprocessing
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fmpy

from host import ERROR, Host, Refused
from traces import OUT, PARTNER_OUT, STEP, fetch


def unpack(fmu: str | Path) -> Path:
    """A temporary folder with the unpacked FMU."""
    return Path(fmpy.extract(str(fmu)))


def instance(folder: Path, name: str = "dut", values: dict[str, Any] | None = None, **options: Any) -> Host:
    """An instance at its first communication point."""
    return Host(folder, fmpy.read_model_description(str(folder), validate=False), name, **options).initialize(values)


def message(host: Host) -> bytes:
    """The bytes of the FMU's binary output."""
    return fetch(*host.triple(PARTNER_OUT if host.description.modelName == "Partner" else OUT))


def digest(host: Host, steps: int = 50) -> str:
    """A checksum of the messages and plain outputs of some steps. Hosts that read the same get the
    same checksum."""
    sum_ = hashlib.sha256()
    for _ in range(steps):
        host.steps(1, STEP)
        sum_.update(message(host) + repr(host.outputs()).encode())
    return sum_.hexdigest()


def run(folder: str | Path) -> str:
    """One whole simulation."""
    host = instance(Path(folder))
    result = digest(host)
    host.fmu.terminate()
    host.free()
    assert host.problems() == [], host.problems()
    return result


def holdings() -> dict[str, int]:
    """The resources that this process holds."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":" in line)
    maps = Path("/proc/self/maps").read_text().splitlines()
    return {
        "threads": len(os.listdir("/proc/self/task")),
        "files": len(os.listdir("/proc/self/fd")),
        "maps": len(maps),
        "cores": len({line.split(maxsplit=5)[5] for line in maps if "-core-" in line}),
        "resident": int(status["VmRSS"].split()[0]),
        "virtual": int(status["VmSize"].split()[0]),
    }


# -- many runs, several FMUs


def simulations(fmu: str, count: str) -> Any:
    """Runs from the .fmu file, unpacked each time, as in a parameter study. Returns the holdings at
    three points."""
    description = fmpy.read_model_description(fmu, validate=False)
    seen, begun = [], time.monotonic()
    for k in range(1, int(count) + 1):
        result = fmpy.simulate_fmu(
            fmu, stop_time=0.06, step_size=STEP, output=["replay.rows"], validate=False, model_description=description
        )
        assert len(result) == 4 and result["replay.rows"][-1] > 0
        if k % (int(count) // 3) == 0:
            seen.append(holdings())
    return {"seen": seen, "seconds": time.monotonic() - begun}


def several(*fmus: str) -> Any:
    """Different FMUs, each with its own Go runtime: alone, in turn, and on concurrent threads."""
    folders = [unpack(fmu) for fmu in fmus]
    alone = [run(folder) for folder in folders]
    hosts = [instance(folder, f"number {k}") for k, folder in enumerate(folders)]
    sums = [hashlib.sha256() for _ in hosts]
    for _ in range(50):
        for host, sum_ in zip(hosts, sums, strict=True):
            host.steps(1, STEP)
            sum_.update(message(host) + repr(host.outputs()).encode())
    threaded: list[list[str]] = [[] for _ in folders]

    def repeat(k: int) -> None:
        threaded[k].extend(run(folders[k]) for _ in range(5))

    threads = [threading.Thread(target=repeat, args=(k,)) for k in range(len(folders)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {
        "alone": alone,
        "in turn": [sum_.hexdigest() for sum_ in sums],
        "threaded": [sorted(set(sums)) for sums in threaded],
        "runs": [len(sums) for sums in threaded],
        "cores": holdings()["cores"],
    }


# -- signals


def crash(fmu: str, enabled: str) -> Any:
    """A fault in the host, after the FMU has run: the host's fault handler must receive it. The
    handler is enabled before or after the FMU is loaded."""
    if enabled == "before":
        faulthandler.enable()
    run(unpack(fmu))
    if enabled == "after":
        faulthandler.enable()
    run(unpack(fmu))
    print("the FMU has run", flush=True)
    ctypes.string_at(1)


def fault_handler(fmu: str) -> Any:
    """Many runs with the fault handler enabled, and tracebacks that it prints on request between
    steps."""
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1, all_threads=True, chain=False)
    folder = unpack(fmu)
    sums = set()
    for _ in range(40):
        sums.add(run(folder))
        os.kill(os.getpid(), signal.SIGUSR1)
    return {"results": len(sums)}


def signals(fmu: str) -> Any:
    """Python's own use of signals while instances step: timers, children, keyboard interrupts."""
    ticks: list[int] = []
    folder = unpack(fmu)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # the shell may have started this process with SIGINT ignored
    signal.signal(signal.SIGALRM, lambda *_: ticks.append(1))
    expected = run(folder)
    signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
    sums = {run(folder) for _ in range(20)}
    signal.setitimer(signal.ITIMER_REAL, 0)
    child = subprocess.run([sys.executable, "-c", "print('child')"], capture_output=True, text=True, check=True)
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(10)
        interrupted = False
    except KeyboardInterrupt:
        interrupted = True
    after = run(folder)
    return {
        "same": sums == {expected} and after == expected,
        "ticks": len(ticks),
        "child": child.stdout,
        "interrupted": interrupted,
        "SIGPIPE": signal.getsignal(signal.SIGPIPE) == signal.SIG_IGN,
    }


def broken_pipe(fmu: str, loaded: str) -> Any:
    """A host that SIGPIPE is to end, as with command line tools, or that ignores it, as Python
    does."""
    if loaded == "with":
        run(unpack(fmu))
    reader, writer = os.pipe()
    os.close(reader)
    try:
        os.write(writer, b"x")
    except BrokenPipeError:
        return "EPIPE"
    return "written"


def dies_of_broken_pipe(fmu: str, loaded: str) -> Any:
    """The same, with the signal's default action restored before the FMU is loaded."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    return broken_pipe(fmu, loaded)


# -- processes


def spawn(fmu: str, method: str) -> Any:
    """multiprocessing, while the parent uses the FMU."""
    folder = unpack(fmu)
    host = instance(folder)
    with multiprocessing.get_context(method).Pool(2) as pool:
        results = pool.map_async(run, [str(folder)] * 6).get(timeout=60)
    return {"same": set(results) == {digest(host)}, "runs": len(results)}


def fork(fmu: str, moment: str, runs: str) -> Any:
    """What a forked child can do with the FMU, in the folder of the parent and in a new one. moment
    is one of not_loaded, idle (the parent has run and freed it), alive (the parent has an
    instance), stepping (other threads of the parent step theirs). A child that hangs is killed.

    Python's locks for imports do not survive a fork while another thread imports: everything has
    been imported before the threads start."""
    folder = unpack(fmu)
    parent = instance(folder) if moment in ("alive", "stepping") else None
    if moment == "idle":
        run(folder)
    busy = threading.Event()
    others = [threading.Thread(target=step_until, args=(folder, busy)) for _ in range(4 * (moment == "stepping"))]
    for thread in others:
        thread.start()

    def child() -> str:
        sums = {run(folder) for _ in range(int(runs))} | {run(unpack(fmu))}
        return sums.pop() if len(sums) == 1 else repr(sums)

    outcomes = [forked(child, seconds=60) for _ in range(5 if others else 1)]
    busy.set()
    for thread in others:
        thread.join()
    expected = run(folder)  # by the parent, which its children must not affect
    return {
        "outcomes": [outcome if outcome != expected else "right" for outcome in outcomes],
        "parent": parent is None or digest(parent) == expected,
    }


def fork_several(*fmus: str) -> Any:
    """Different FMUs, forked while all of them are loaded: the child runs them all, in two orders,
    and so does its own child."""
    folders = [unpack(fmu) for fmu in fmus]
    expected = [run(folder) for folder in folders]

    def child() -> str:
        here = [run(folder) for folder in folders] + [run(folder) for folder in reversed(folders)]
        return repr(here == expected + expected[::-1])

    return [forked(child, seconds=60), forked(lambda: child() + forked(child, seconds=60), seconds=120)]


def step_until(folder: Path, busy: threading.Event) -> None:
    """Runs one simulation after the other."""
    while not busy.is_set():
        run(folder)


def fork_parents_instance(fmu: str) -> Any:
    """A forked child that uses its parent's instance: the statuses and log lines. It may free the
    instance."""
    parent = instance(unpack(fmu))

    def child() -> str:
        status, text = parent.step(), parent.log[-1].text
        parent.free()
        return f"{status} {text}"

    outcome = forked(child, seconds=60)
    return {"outcome": outcome, "parent": parent.step()}


def forked(work: Callable[[], str], seconds: float) -> str:
    """The result of a function in a forked child, or the exception that it raised, or "hung", or
    "exit code N"."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        try:
            answer = work()
        except BaseException as error:  # the child must not return into the parent's code
            answer = repr(error)
        os.write(writer, answer.encode()[:4096])
        os._exit(0)
    os.close(writer)
    ready, _, _ = select.select([reader], [], [], seconds)
    answer = os.read(reader, 4096).decode() if ready else ""
    if not ready:
        os.kill(pid, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return answer or ("hung" if not ready else f"exit code {code}")


# -- folders and streams


def deleted(fmu: str, moment: str) -> Any:
    """The folder is removed when the instance is initialized, or as soon as it is instantiated. In
    that case its scenario is elsewhere, and is also deleted once it is open."""
    expected = run(unpack(fmu))
    folder = unpack(fmu)
    host = Host(folder, fmpy.read_model_description(str(folder), validate=False))
    if moment == "instantiated":
        scenario = Path(tempfile.mkdtemp(), "elsewhere.csv")
        shutil.copy(folder / "resources" / "scenario.csv", scenario)
        shutil.rmtree(folder)
        host.initialize({"replay.scenarioFile": str(scenario)})
        shutil.rmtree(scenario.parent)
    else:
        host.initialize()
        shutil.rmtree(folder)
    same = digest(host) == expected
    host.fmu.terminate()
    host.free()
    return {"same": same, "again": run(unpack(fmu)) == expected}


def surroundings(folder: str) -> Any:
    """One run from an unpacked folder in the environment that the test has prepared for this
    process."""
    return {"digest": run(folder), "user": os.getuid(), "writable": os.access(folder, os.W_OK)}


def closed_streams(fmu: str, answer: str, moment: str) -> None:
    """A host without stdin, stdout and stderr, such as a daemon: they are closed before the FMU is
    loaded or after it has run. Anything the host still prints goes to whatever file now has these
    descriptors, so none of those files may be open for writing."""
    folder = unpack(fmu)
    first = run(folder) if moment == "after" else None
    for number in range(3):
        os.close(number)
    host = instance(folder)
    writable = []
    for number in range(3):
        try:
            if fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY:
                writable.append(os.readlink(f"/proc/self/fd/{number}"))
        except OSError:
            continue  # still closed
    ctypes.CDLL(None).puts(b"printed by the host")
    second = digest(host)
    host.free()
    Path(answer).write_text(json.dumps({"first": first, "second": second, "writable": writable}), encoding="utf-8")
    os._exit(0)


def streams(fmu: str, *values: str) -> Any:
    """The FMU's own output to stdout and stderr, which the test counts. Bad input is included."""
    folder = unpack(fmu)
    run(folder)
    for logging_on in (False, True):
        host = Host(folder, fmpy.read_model_description(str(folder), validate=False), logging_on=logging_on)
        host.set({"replay.scenarioFile": values[0]})
        host.fmu.setupExperiment()
        host.fmu.enterInitializationMode()
        assert host.status(host.fmu.exitInitializationMode) == ERROR
        host.free()
    return {"lines": len(host.problems())}


# -- no resource location


def no_resources(fmu: str, values: str, removed: str = "") -> Any:
    """fmuResourceLocation is NULL. Returns the results of initialization and some steps."""
    folder = unpack(fmu)
    if removed:
        shutil.rmtree(folder / "resources")
    description = fmpy.read_model_description(str(folder), validate=False)
    try:
        host = Host(folder, description, resources=None)
    except Refused as refused:
        return {"refused": [line.text for line in refused.args[0]]}
    settings = {k: str(folder / v[1:]) if str(v).startswith("@") else v for k, v in json.loads(values).items()}
    host.set(settings)
    host.fmu.setupExperiment()
    host.fmu.enterInitializationMode()
    status = host.status(host.fmu.exitInitializationMode)
    result: dict[str, Any] = {"status": status, "log": [line.text for line in host.problems()]}
    if status == 0:
        result["digest"] = digest(host)
        return result
    host.fmu.reset()  # an error affects only that call
    host.initialize({"replay.enabled": False})
    host.steps(5)
    return result


if __name__ == "__main__":
    print("\n" + json.dumps(globals()[sys.argv[1]](*sys.argv[2:])))
