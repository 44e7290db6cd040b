package platforms

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/chost"
)

// platform is a folder in binaries/ and the way to run its programs here.
type platform struct {
	folder, triple string
	machine        func() (machine, string)
}

var platforms = []platform{
	{"linux64", "x86_64-linux-gnu.2.17", linux64},
	{"aarch64-linux", "aarch64-linux-gnu.2.17", aarch64},
	{"win64", "x86_64-windows-gnu", func() (machine, string) { return wine("win64", "wine64") }},
	{"linux32", "x86-linux-gnu.2.17", linux32},
	{"win32", "x86-windows-gnu", func() (machine, string) { return wine("win32", "wine") }},
}

func (p platform) windows() bool { return strings.HasPrefix(p.folder, "win") }

func (p platform) extension() string {
	if p.windows() {
		return ".dll"
	}
	return ".so"
}

// machine runs programs of a platform. The function that creates it also returns what is missing
// for that.
type machine struct {
	command, env []string
	host         string // the program of test/host
}

func linux64() (machine, string) {
	if runtime.GOARCH != "amd64" {
		return machine{}, "needs an x86-64 processor"
	}
	return machine{}, ""
}

func linux32() (machine, string) {
	if _, err := os.Stat("/lib/ld-linux.so.2"); err != nil || runtime.GOARCH != "amd64" {
		return machine{}, "no 32-bit C library: apt-get install libc6-i386 (on an x86-64 processor)"
	}
	return machine{}, ""
}

func aarch64() (machine, string) {
	const libraries = "/usr/aarch64-linux-gnu"
	if runtime.GOARCH == "arm64" {
		return machine{}, ""
	}
	if _, err := os.Stat(libraries + "/lib/ld-linux-aarch64.so.1"); err != nil {
		return machine{}, "no C library for ARM: apt-get install libc6-arm64-cross"
	}
	if _, err := exec.LookPath("qemu-aarch64"); err != nil {
		return machine{}, "no qemu-aarch64: apt-get install qemu-user"
	}
	return machine{command: []string{"qemu-aarch64", "-L", libraries}}, ""
}

// wine finds the program that Debian keeps out of PATH. The one in PATH itself chooses between 32
// and 64 bits.
func wine(architecture, program string) (machine, string) {
	path := os.Getenv("GOSMP_" + strings.ToUpper(program))
	for _, candidate := range []string{path, "/usr/lib/wine/" + program} {
		if found, err := exec.LookPath(candidate); err == nil {
			return machine{command: []string{found}, env: []string{
				"WINEARCH=" + architecture, "WINEDEBUG=-all", "LC_ALL=C.UTF-8", "DISPLAY=",
				"WAYLAND_DISPLAY=",
				"WINEDLLOVERRIDES=mscoree,mshtml=", // no downloads
			}}, ""
		}
	}
	if program == "wine" {
		return machine{},
			"no 32-bit wine: dpkg --add-architecture i386 && apt-get update && apt-get " +
				"install wine32:i386 " +
				"(or name the program in GOSMP_WINE)"
	}
	return machine{}, "no 64-bit wine: apt-get install wine64 (or name the program in GOSMP_WINE64)"
}

// process prepares a program for running on the machine.
func (m machine) process(words ...string) *exec.Cmd {
	words = append(append([]string{}, m.command...), words...)
	c := exec.Command(words[0], words[1:]...)
	c.Env = append(c.Environ(), m.env...)
	return c
}

// long skips a test in short runs: building and emulating other platforms takes minutes.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("another platform: make nightly, or scripts/platforms.sh test")
	}
}

// zig returns the compiler for the hosts.
func zig(t *testing.T) string {
	t.Helper()
	path := os.Getenv("GOSMP_ZIG")
	if path == "" {
		t.Skip("no compiler: set GOSMP_ZIG, or run scripts/platforms.sh test")
	}
	return path
}

func compile(t *testing.T, p platform, words ...string) {
	t.Helper()
	words = append([]string{"cc", "-target", p.triple, "-std=c11", "-Wall", "-Wextra", "-Werror",
		"-O2", "-s"}, words...)
	output, err := exec.Command(zig(t), words...).CombinedOutput()
	require.NoError(t, err, string(output))
}

// boot creates the folder that wine uses as a computer. The Go runtime needs ProcessPrng, which
// Windows 10 has and wine 8 lacks; a stub replaces it.
func (m *machine) boot(t *testing.T, p platform) {
	t.Helper()
	prefix := filepath.Join(workshop, p.folder+"-computer")
	m.env = append(m.env, "WINEPREFIX="+prefix)
	// Wine complains that it finds no display; only the folder is needed.
	output, err := m.process("wineboot", "-i").CombinedOutput()
	system := filepath.Join(prefix, "drive_c", "windows", "system32")
	require.DirExists(t, system, "wineboot: %v: %s", err, output)
	const stub = "bcryptprimitives.dll"
	if info, err := os.Stat(filepath.Join(system, stub)); err != nil || info.Size() == 0 {
		compile(t, p, "-shared", "-o", filepath.Join(system, stub), "testdata/bcryptprimitives.c",
			"-ladvapi32")
	}
	// it may already have ended
	shutDown = append(shutDown, func() { _ = m.process("wineboot", "-e", "-f").Run() })
}

// workshop contains the hosts and wine's computers for all tests.
var (
	workshop string
	shutDown []func()
	prepared = map[string]*machine{}
)

func TestMain(m *testing.M) {
	var err error
	if workshop, err = os.MkdirTemp("", "gosmp-platforms-"); err != nil {
		panic(err)
	}
	code := m.Run()
	for _, end := range shutDown {
		end()
	}
	_ = os.RemoveAll(workshop) // wine's own processes may still write there
	os.Exit(code)
}

// prepare compiles the host and boots the machine once, or returns what is missing for that.
func (p platform) prepare(t *testing.T) *machine {
	t.Helper()
	long(t)
	m, missing := p.machine()
	if missing != "" {
		t.Skipf("NOT RUN: %s: %s", p.folder, missing)
	}
	if prepared[p.folder] != nil {
		return prepared[p.folder]
	}
	m.host = filepath.Join(workshop, p.folder+"-host")
	libraries := []string{"-pthread", "-ldl"}
	if p.windows() {
		m.host += ".exe"
		libraries = []string{"-lshell32"}
		m.boot(t, p)
	}
	unit, err := chost.Unit(m.host, "../host/host.c", libraries...)
	require.NoError(t, err)
	compile(t, p, slices.Concat(unit.Flags, []string{"-o", unit.Output}, unit.Sources,
		unit.Libraries)...)
	prepared[p.folder] = &m
	return &m
}
