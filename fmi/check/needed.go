package check

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"gosmp/internal/sharedlib"
)

// Libraries that exist on every system.
var (
	// Libraries from the GNU C library and from GCC.
	linuxLibraries = []string{"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0",
		"librt.so.1",
		"libutil.so.1", "libresolv.so.2", "libgcc_s.so.1", "libstdc++.so.6"}
	windowsLibraries = []string{"advapi32", "bcrypt", "comctl32", "comdlg32", "crypt32", "dbghelp",
		"gdi32", "imm32", "iphlpapi", "kernel32", "mpr", "msvcrt", "netapi32", "ntdll", "ole32",
		"oleaut32", "psapi", "rpcrt4", "secur32", "setupapi", "shell32", "shlwapi", "ucrtbase",
		"user32", "userenv", "uxtheme", "version", "winhttp", "wininet", "winmm", "winspool.drv",
		"wldap32", "ws2_32", "wsock32"}
)

// ofSystem reports whether a library is part of the system.
func ofSystem(system, name string) bool {
	switch system {
	case "linux":
		return slices.Contains(linuxLibraries, name) || strings.HasPrefix(name, "ld-linux")
	case "windows":
		lower := strings.ToLower(name)
		return slices.Contains(windowsLibraries, strings.TrimSuffix(lower, ".dll")) ||
			strings.HasPrefix(lower, "api-ms-win-") || strings.HasPrefix(lower, "vcruntime140.") ||
			strings.HasPrefix(lower, "vcruntime140_1.") || strings.HasPrefix(lower, "msvcp140.")
	}
	return strings.HasPrefix(name, "/usr/lib/") || strings.HasPrefix(name, "/System/")
}

// linked checks that the loader finds all libraries and symbols that the libraries of a platform
// need (B6 to B8).
func (x *examiner) linked(all map[string]*library) {
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		l := all[name]
		missing := false
		for _, need := range l.Needs {
			missing = !x.needed(l, need, all) || missing
		}
		if l.Format == sharedlib.ELF && !missing && isHere(l.platform.System, l.platform.Machine) {
			x.undefined(l, all)
		}
	}
}

// isHere reports whether this machine can run the libraries of a platform.
func isHere(system, machine string) bool {
	here := map[string]string{"amd64": "x86_64", "arm64": "aarch64", "386": "x86"}
	return system == runtime.GOOS && machine == here[runtime.GOARCH]
}

// needed checks one library on which another library depends (B6, B10), and reports whether it was
// found.
func (x *examiner) needed(l *library, need string, all map[string]*library) bool {
	place := in(l.Name)
	system := l.platform.System
	switch sibling := packed(l, need, all); {
	case ofSystem(system, need):
		return true
	case sibling != nil && system == "linux" && !x.findsPacked(l, sibling, all):
		x.error("B10", place, fact{what: "a packed library that the loader does not find",
			found: need + " next to it, search path " + paths(l), expected: "$ORIGIN",
			remedy: "link with -Wl,-rpath,'$ORIGIN'"})
		return false
	case sibling != nil:
		return true
	}
	f := fact{what: "a required library that is not packed", found: need,
		expected: "it in " + l.folder(),
		remedy:   "pack it next to the library, or link it statically"}
	report := x.warn
	if isHere(system, l.platform.Machine) {
		if found := onThisMachine(need, l); found == "" {
			report, f.what = x.error,
				"a required library that is neither packed nor on this machine"
		} else {
			f.what += ": this machine has " + found
		}
	}
	report("B6", place, f)
	if len(x.fmu.Documentation.ExternalDependencies) == 0 {
		x.remark("D6", place,
			fact{what: "an external library that is not documented",
				found: need, expected: "documentation/externalDependencies.txt"})
	}
	return false
}

func paths(l *library) string {
	if list := slices.Concat(l.RunPath, l.RPath); len(list) > 0 {
		return quoted(strings.Join(list, ":"))
	}
	return "none"
}

// packed returns the FMU's library whose file name or SONAME equals need.
func packed(l *library, need string, all map[string]*library) *library {
	base := path.Base(need) // of @rpath/libx.dylib
	var found *library
	for _, other := range all {
		same := path.Base(other.Name) == base || strings.EqualFold(path.Base(other.Name), base) &&
			l.platform.System == "windows"
		if same && (found == nil || other.folder() == l.folder()) {
			found = other
		}
	}
	return found
}

// findsPacked reports whether the Linux loader finds a library of the FMU, either through the
// search path of the library that needs it, or through the obsolete search path of a library that
// loaded that one.
func (x *examiner) findsPacked(l, sibling *library, all map[string]*library) bool {
	leads := func(from *library, list []string) bool {
		return slices.ContainsFunc(list, func(p string) bool {
			rest, is := strings.CutPrefix(strings.Replace(p, "${ORIGIN}", "$ORIGIN", 1), "$ORIGIN")
			return is && path.Join(from.folder(), rest) == sibling.folder()
		})
	}
	if leads(l, l.RunPath) {
		return true
	}
	if len(l.RunPath) > 0 {
		return false
	}
	for _, other := range all {
		if (other == l || other.Entry) && len(other.RunPath) == 0 && leads(other, other.RPath) {
			return true
		}
	}
	return false
}

// onThisMachine returns the path of a library on this machine, or an empty string if there is none.
func onThisMachine(name string, l *library) string {
	folders := slices.Concat(filepath.SplitList(os.Getenv("LD_LIBRARY_PATH")), systemFolders())
	for _, p := range slices.Concat(l.RunPath, l.RPath) {
		if filepath.IsAbs(p) {
			folders = append(folders, p)
		}
	}
	if filepath.IsAbs(name) {
		folders, name = []string{filepath.Dir(name)}, filepath.Base(name)
	}
	for _, folder := range folders {
		file := filepath.Join(folder, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			return file
		}
	}
	return ""
}

// Environment describes everything outside an FMU on which findings depend: the platform, the
// folders in which this machine looks for libraries, and the times of their last changes.
func Environment() string {
	path := os.Getenv("LD_LIBRARY_PATH")
	text := runtime.GOOS + " " + runtime.GOARCH + " " + path
	for _, folder := range slices.Concat(filepath.SplitList(path), systemFolders()) {
		if info, err := os.Stat(folder); err == nil {
			text += fmt.Sprintf("\n%s %d", folder, info.ModTime().UnixNano())
		}
	}
	return text
}

// systemFolders returns the folders in which the loader looks for libraries.
var systemFolders = sync.OnceValue(func() []string {
	triplet := map[string]string{"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu",
		"386": "i386-linux-gnu"}[runtime.GOARCH]
	list := []string{"/lib/" + triplet, "/usr/lib/" + triplet, "/lib64", "/usr/lib64", "/lib",
		"/usr/lib",
		"/usr/local/lib", "/usr/local/lib/" + triplet}
	files, err := filepath.Glob("/etc/ld.so.conf.d/*.conf")
	if err != nil {
		return list
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // no permission to read it
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); filepath.IsAbs(line) {
				list = append(list, line)
			}
		}
	}
	return list
})

// machineLibrary holds the symbols that a library of this machine defines, and the libraries that
// it needs.
type machineLibrary struct {
	defined map[string]bool
	needs   []string
}

var machineLibraries sync.Map // by path

// readMachineLibrary reads a library of this machine; it returns nil if it cannot be read.
func readMachineLibrary(file string) *machineLibrary {
	if known, found := machineLibraries.Load(file); found {
		l, _ := known.(*machineLibrary)
		return l
	}
	var l *machineLibrary
	if f, err := os.Open(file); err == nil {
		if defined, needs, readable := sharedlib.Symbols(f); readable {
			l = &machineLibrary{set(defined), needs}
		}
		_ = f.Close() // only read
	}
	machineLibraries.Store(file, l)
	return l
}

func set(names []string) map[string]bool {
	all := make(map[string]bool, len(names))
	for _, name := range names {
		all[name] = true
	}
	return all
}

// undefined checks that all undefined symbols of a library are defined by the libraries that it
// needs (B7, B8).
func (x *examiner) undefined(l *library, all map[string]*library) {
	scope, complete := x.scope(l, all)
	if !complete {
		return
	}
	var nobody []string
	bring := map[string][]string{} // keyed by the library that defines them
	for _, name := range l.Undefined {
		if slices.ContainsFunc(scope, func(defined map[string]bool) bool { return defined[name] }) {
			continue
		}
		if usual := usualLibrary(name, l); usual != "" {
			bring[usual] = append(bring[usual], name)
		} else {
			nobody = append(nobody, name)
		}
	}
	for _, usual := range linuxLibraries {
		if names := bring[usual]; len(names) > 0 {
			x.warn("B7", in(l.Name), fact{what: "symbols of " + usual +
				", with which the library is not linked",
				found: listed(names), expected: "NEEDED " + usual,
				remedy: "the host has to bring it: link with -l" +
					strings.TrimPrefix(strings.Split(usual,
						".so")[0], "lib")})
		}
	}
	if len(nobody) > 0 {
		x.error("B8", in(l.Name), fact{what: "symbols that no required library defines",
			found:    fmt.Sprintf("%d: %s", len(nobody), listed(nobody)),
			expected: "them in " + listed(append([]string{path.Base(l.Name)}, l.Needs...)),
			remedy:   "link with -Wl,-z,defs to find them early"})
	}
}

// usualLibrary returns the library that defines a symbol and exists on every system, or an empty
// string if there is none.
func usualLibrary(symbol string, l *library) string {
	for _, name := range linuxLibraries {
		if file := onThisMachine(name, l); file != "" {
			if m := readMachineLibrary(file); m != nil && m.defined[symbol] {
				return name
			}
		}
	}
	return ""
}

// scope returns the symbols that the loader finds for a library: its own symbols and the symbols of
// all libraries that it needs. It returns false if any of these libraries cannot be read.
func (x *examiner) scope(l *library, all map[string]*library) (scope []map[string]bool,
	complete bool) {
	scope = append(scope, set(l.Defined))
	// A packed library also finds the symbols of the library that loaded it.
	for _, other := range all {
		if other.Entry && slices.Contains(other.Needs, path.Base(l.Name)) {
			scope = append(scope, set(other.Defined))
		}
	}
	seen := map[string]bool{}
	queue := slices.Clone(l.Needs)
	for len(queue) > 0 {
		need := queue[0]
		queue = queue[1:]
		if seen[need] {
			continue
		}
		seen[need] = true
		if sibling := packed(l, need, all); sibling != nil {
			scope, queue = append(scope, set(sibling.Defined)), append(queue, sibling.Needs...)
			continue
		}
		file := onThisMachine(need, l)
		m := readMachineLibrary(file)
		if file == "" || m == nil {
			return nil, false
		}
		scope, queue = append(scope, m.defined), append(queue, m.needs...)
	}
	return scope, true
}
