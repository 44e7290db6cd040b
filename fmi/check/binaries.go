package check

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/internal/fault"
	"gosmp/internal/sharedlib"
)

// library is a file in the folder of a platform.
type library struct {
	*archive.Binary
	platform *archive.Platform
	begun    bool // whether its beginning has been read
	whole    bool // whether all of it has been read
	readable bool // whether its linkage could be read
	sharedlib.Linkage
}

// outline lists the files of all platforms, which are read when the archive is checked.
func (x *examiner) outline() {
	x.libraries = map[string]*library{}
	if x.fmu == nil {
		return
	}
	for k := range x.fmu.Platforms {
		p := &x.fmu.Platforms[k]
		for k := range p.Binaries {
			b := &p.Binaries[k]
			x.libraries[b.Name] = &library{Binary: b, platform: p}
		}
	}
}

// folder returns the library's folder in the archive.
func (l *library) folder() string { return path.Dir(l.Name) }

// binaries checks the platform folders and the libraries in them (B1 to B15).
func (x *examiner) binaries() {
	m := x.model
	identifiers := m.ModelIdentifiers()
	if len(x.fmu.Platforms) == 0 && len(x.fmu.Sources) == 0 && len(identifiers) > 0 {
		x.error("B1", in("binaries"), fact{what: "neither binaries nor sources",
			expected: "a library or its sources", remedy: "no importer can run this FMU"})
	}
	for name := range x.entries {
		rest, is := strings.CutPrefix(name, "binaries/")
		if is && rest != "" && !strings.Contains(rest, "/") {
			x.warn("B1", in(name), fact{what: "a file in binaries/ itself",
				expected: "it in the folder of a platform"})
		}
	}
	for k := range x.fmu.Platforms {
		p := &x.fmu.Platforms[k]
		x.platform(p)
		for _, identifier := range identifiers {
			if x.loads(p) {
				x.entryPoint(p, identifier)
			}
		}
		if p.System == "" {
			continue // nothing to compare the libraries with
		}
		libraries := map[string]*library{}
		for k := range p.Binaries {
			if l := x.libraries[p.Binaries[k].Name]; x.library(l) {
				libraries[l.Name] = l
			}
		}
		x.linked(libraries)
	}
}

// platform checks the name of a platform folder (B1).
func (x *examiner) platform(p *archive.Platform) {
	place := in("binaries/" + p.Name)
	old := !strings.Contains(p.Name, "-")
	switch {
	case p.System == "":
		x.warn("B1", place, fact{what: "folder in binaries/", found: quoted(p.Name),
			expected: "a platform that FMI names, such as " + pick(x.major >= fmi.FMI3,
				"x86_64-linux",
				"linux64")})
	case x.major >= fmi.FMI3 && old:
		x.error("B1", place, fact{what: "the name of a platform before FMI 3.0",
			found:    quoted(p.Name),
			expected: quoted(p.Machine + "-" + p.System), remedy: "rename the folder"})
	case x.major < fmi.FMI3 && !old:
		x.tuple(p, place)
	}
}

// tuple reports a folder with the name that a platform has in FMI 3.0, unless the FMU also has the
// folder in which hosts of earlier versions look.
func (x *examiner) tuple(p *archive.Platform, place fault.Place) {
	bits := map[string]string{"x86": "32", "x86_64": "64"}[p.Machine]
	system := map[string]string{"windows": "win"}[p.System]
	if system == "" {
		system = p.System
	}
	wanted := system + bits
	if bits == "" || slices.ContainsFunc(x.fmu.Platforms, func(other archive.Platform) bool {
		return other.Name == wanted
	}) {
		return
	}
	x.warn("B1", place, fact{what: "the name of a platform from FMI 3.0", found: quoted(p.Name),
		expected: quoted(wanted), remedy: fmt.Sprintf("hosts of %s do not find the library: "+
			"rename the folder", x.major)})
}

// extensions are the file name extensions of the libraries that importers load.
var extensions = map[string]string{"windows": ".dll", "linux": ".so", "darwin": ".dylib"}

// loads reports whether importers load a library from a folder. Before FMI 3.0, vendors may add
// folders of their own, with any files.
func (x *examiner) loads(p *archive.Platform) bool {
	vendor := p.System == "" || strings.Contains(p.Name, "-")
	return x.major >= fmi.FMI3 || !vendor || slices.ContainsFunc(p.Binaries,
		func(b archive.Binary) bool { return x.libraries[b.Name].Format != "" })
}

// entryPoint checks that there is a library that importers can load (B1). In a folder for a
// specific ABI it may be a static library.
func (x *examiner) entryPoint(p *archive.Platform, identifier string) {
	static := strings.Count(p.Name, "-") == 2
	for _, b := range p.Binaries {
		name := path.Base(b.Name)
		if stem := strings.TrimSuffix(name, path.Ext(name)); stem == identifier && (b.Entry ||
			static) {
			return
		}
	}
	wanted := identifier + extensions[p.System]
	if p.System == "" {
		wanted = identifier + " with .so, .dll or .dylib"
	}
	x.error("B1", in("binaries/"+p.Name), fact{what: "no library that a host would load",
		expected: wanted, remedy: "its name has to be the modelIdentifier"})
}

// formats are the library formats of each system.
var formats = map[string]string{"windows": sharedlib.PE, "linux": sharedlib.ELF,
	"darwin": sharedlib.MachO}

// library checks one file; it returns false unless the file is a complete library for its platform.
func (x *examiner) library(l *library) bool {
	place := in(l.Name)
	switch {
	case !l.begun:
		return false // not unpacked, for a reason already reported
	case l.Matches != nil && !*l.Matches:
		x.error("B2", place, fact{what: "a library for a different platform",
			found: fmt.Sprintf("%s for %s in the folder %s",
				l.Format, strings.Join(l.Machines, ", "), l.platform.Name),
			expected: fmt.Sprintf("%s for %s", formats[l.platform.System], l.platform.Machine)})
		return false
	case l.Entry && l.Format == "":
		x.error("B2", place, fact{what: "not a shared library",
			expected: "the first bytes of ELF, PE or Mach-O"})
		return false
	case l.Format == "" || !l.whole:
		return false
	case !l.readable:
		x.error("B2", place, fact{what: "a library whose headers cannot be read",
			remedy: "the file is damaged"})
		return false
	case l.Truncated != "":
		x.error("B2", place, fact{what: "a truncated library", found: l.Truncated +
			" lies beyond the end of the file", remedy: "pack the FMU again"})
		return false
	case l.Entry && l.Kind != sharedlib.SharedLibrary:
		x.error("B3", place, fact{what: "a file under the name of a library", found: string(l.Kind),
			expected: "a shared library", remedy: "link it with -shared"})
		return false
	}
	if l.Entry {
		x.exported(l)
	}
	x.loading(l)
	return true
}

// exported checks the functions that a library exports (B4, B5, B13).
func (x *examiner) exported(l *library) {
	identifier := strings.TrimSuffix(path.Base(l.Name), path.Ext(l.Name))
	exports := map[string]bool{}
	for _, name := range l.Exports {
		exports[name] = true
	}
	var missing []string
	wanted := functions(x.model, identifier)
	for _, name := range wanted {
		if !exports[name] {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 && !x.misnamed(l, missing, exports, identifier) {
		x.error("B4", in(l.Name), fact{what: "functions that the library does not export",
			found: fmt.Sprintf("%d of %d missing: %s", len(missing), len(wanted),
				listed(missing)),
			expected: "all functions of its interfaces",
			remedy:   "functions that are not used return an error"})
	}
	others, protobuf := 0, false
	for name := range exports {
		if !ofFMI(x.major, name, identifier) {
			others++
		}
		protobuf = protobuf || strings.Contains(name, "6google8protobuf")
	}
	if protobuf {
		x.warn("B13", in(l.Name), fact{what: "functions of Protocol Buffers are exported",
			expected: "functions of FMI only",
			remedy: "two such FMUs in one process interfere with each other: link with " +
				"-fvisibility=hidden and a version script"})
	} else if others > 0 {
		x.remark("B13", in(l.Name), fact{what: "exports other than FMI functions",
			found: fmt.Sprintf("%d",
				others), remedy: "link with a version script"})
	}
}

// misnamed reports functions that are exported under wrong names (B5).
func (x *examiner) misnamed(l *library, missing []string, exports map[string]bool,
	identifier string) bool {
	first := missing[0]
	for name := range exports {
		found := ""
		switch {
		case strings.HasPrefix(name, "_Z") && strings.Contains(name, fmt.Sprintf("%d%s", len(first),
			first)),
			strings.HasPrefix(name, "?"+first+"@@"):
			found = "names of C++"
		case x.major > fmi.FMI1 && name == identifier+"_"+first:
			found = "names that begin with the modelIdentifier"
		case x.major == fmi.FMI1 && identifier+"_"+name == first:
			found = "names without the modelIdentifier"
		}
		if found != "" {
			x.error("B5", in(l.Name), fact{what: "names of the exported functions",
				found: found + ", as " + name, expected: first,
				remedy: `declare them extern "C" and compile with -DFMI` + pick(x.major == fmi.FMI2,
					"2",
					"3") + `_FUNCTION_PREFIX=""`})
			return true
		}
	}
	for _, v := range []fmi.Version{fmi.FMI2, fmi.FMI3} {
		if v != x.major && exports[prefixes[v]+"GetVersion"] && exports[prefixes[v]+"DoStep"] {
			x.error("B5", in(l.Name), fact{what: "a library for a different FMI version",
				found: "functions of " + v.String(), expected: "functions of " + x.major.String()})
			return true
		}
	}
	return false
}

// loading checks how the Linux loader handles a library (B9 to B12, B14, B15).
func (x *examiner) loading(l *library) {
	if l.Format != sharedlib.ELF {
		return
	}
	place := in(l.Name)
	report := x.warn
	if sharedlib.Newer(x.options.Glibc, "2.40") {
		report = x.error
	}
	if l.ExecutableStack {
		report("B9", place, fact{what: "an executable stack", expected: "one that cannot",
			remedy: "the GNU C library 2.41 and later does not load it: link with -z noexecstack"})
	}
	if l.TextRelocations {
		x.warn("B9", place, fact{what: "relocations in the code", expected: "none",
			remedy: "compile with -fPIC"})
	}
	if l.WritableCode {
		x.warn("B9", place, fact{what: "a writable and executable segment",
			expected: "either",
			remedy:   "link with -z separate-code"})
	}
	x.runPaths(l)
	if newest := l.Versions["GLIBC"]; newest != "" {
		f := fact{what: "the required GNU C library", found: newest}
		if x.options.Glibc != "" && sharedlib.Newer(newest, x.options.Glibc) {
			f.expected, f.remedy = "at most "+x.options.Glibc, "build it on an older system"
			x.warn("B11", place, f)
		} else {
			x.remark("B11", place, f)
		}
	}
	const most = 1024
	if l.StaticTLS && l.TLS > most {
		x.warn("B12", place,
			fact{what: "thread-local memory that has to be available at program start",
				found: fmt.Sprintf("%d bytes", l.TLS), expected: fmt.Sprintf("at most %d", most),
				remedy: "hosts that load it later may fail: compile without " +
					"-ftls-model=initial-exec"})
	}
	if l.FastMath {
		x.warn("B14", place, fact{what: "linked with -ffast-math",
			found:    "a constructor that disables denormal numbers for the whole host",
			expected: "none", remedy: "link without -ffast-math"})
	}
	const large = 10 << 20
	if l.Debug > large {
		x.remark("B14", place, fact{what: "debug information", found: fmt.Sprintf("%d MiB",
			l.Debug>>20),
			remedy: "strip the library"})
	}
	x.loaderFlags(l)
}

func (x *examiner) loaderFlags(l *library) {
	place := in(l.Name)
	if l.NoOpen {
		x.warn("B15", place, fact{what: "flag DF_1_NOOPEN", expected: "none",
			remedy: "dlopen refuses the library"})
	}
	if l.Interpose {
		x.note("B15", place, fact{what: "flag DF_1_INTERPOSE", expected: "none",
			remedy: "it may replace functions of the host"})
	}
	if l.Entry && l.platform.System == "linux" && ofSystem("linux", l.SOName) {
		x.warn("B15", place, fact{what: "SONAME of a library of the system", found: l.SOName,
			expected: path.Base(l.Name),
			remedy:   "the loader may take it for that library: link with -Wl,-soname"})
	}
	if l.NoDelete {
		x.remark("B15", place, fact{what: "flag DF_1_NODELETE",
			remedy: "the library stays in the process"})
	}
	// compilers add one of each
	if l.Initializers > 1 || l.Finalizers > 1 {
		x.remark("B15", place, fact{what: "code that runs when the library is loaded or unloaded",
			found: fmt.Sprintf("%d functions in DT_INIT_ARRAY, %d in DT_FINI_ARRAY", l.Initializers,
				l.Finalizers), expected: "one of each, from the compiler",
			remedy: "it runs even in hosts that only inspect the FMU"})
	}
}

// runPaths checks the paths in which the loader looks for other libraries (B10).
func (x *examiner) runPaths(l *library) {
	for _, p := range slices.Concat(l.RunPath, l.RPath) {
		if p != "" && !strings.HasPrefix(p, "$ORIGIN") && !strings.HasPrefix(p, "${ORIGIN}") {
			x.warn("B10", in(l.Name), fact{what: "search path for libraries", found: quoted(p),
				expected: "$ORIGIN or none",
				remedy:   "it is a folder on the build machine"})
			break
		}
	}
	if len(l.RPath) > 0 && len(l.RunPath) == 0 {
		x.remark("B10", in(l.Name), fact{what: "DT_RPATH", found: quoted(strings.Join(l.RPath,
			":")),
			expected: "DT_RUNPATH", remedy: "link with --enable-new-dtags"})
	}
}
