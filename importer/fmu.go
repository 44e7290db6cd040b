package importer

import (
	"archive/zip"
	"debug/elf"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"gosmp/cosim"
	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/importer/worker"
	"gosmp/internal/fault"
)

// FMU is an FMU that can be run here.
type FMU struct {
	Path     string // as given
	SHA256   string // of the file, or of the content of a folder
	Model    *archive.ModelDescription
	Platform string   // the folder in binaries/ whose library is loaded
	Warnings []string // warnings for the user before a run
	archive  *archive.FMU
	packed   *zip.Reader
	outline  func() map[string]*zip.File // the files and folders of a tree
	size     int64                       // of the archive, in bytes
	slave    *archive.Interface
	table    *table
}

// Open reads and checks an FMU, which may be the folder of an unpacked FMU. Each instance gets a
// copy of its own. All errors have the kind [ErrInvalid].
func Open(path string) (*FMU, error) {
	content, err := archive.Outline(path)
	if err != nil {
		return nil, fault.Wrap(ErrInvalid, fault.Place{}, err)
	}
	f := &FMU{Path: path, Model: content.Model, archive: content}
	if err := f.check(); err != nil {
		return nil, err
	}
	if f.table, err = newTable(f.Model); err != nil {
		return nil, f.invalid("", err)
	}
	f.Warnings = append(f.Warnings, f.table.warnings...)
	if err := f.read(); err != nil {
		return nil, f.invalid("", err)
	}
	return f, nil
}

// invalid adds the location to an error.
func (f *FMU) invalid(object string, err error) error {
	var known *Error
	if errors.As(err, &known) && errors.Is(known.Kind, ErrInvalid) {
		known.Place.File = f.Path
		return known
	}
	return fault.Wrap(ErrInvalid, fault.Place{File: f.Path, Object: object}, err)
}

// check rejects an FMU if its archive shows that it cannot be run.
func (f *FMU) check() error {
	if err := worker.Supported(); err != nil {
		return f.invalid("", err)
	}
	if f.Model.Major() == 1 && runtime.GOOS != "linux" {
		return fault.New(ErrInvalid, fault.In(f.Path), "FMI "+f.Model.FMIVersion,
			"FMI 2.0 or 3.0 on this system").WithHint("export the model again, or run it on Linux")
	}
	f.slave = f.Model.Interface(fmi.CoSimulation)
	if f.slave == nil {
		var kinds []string
		for _, i := range f.Model.Interfaces {
			kinds = append(kinds, string(i.Kind))
		}
		return fault.New(ErrInvalid, fault.In(f.Path), strings.Join(kinds, ", ")+" alone",
			"CoSimulation").WithHint("export the model for co-simulation")
	}
	if f.slave.Capabilities.Has("needsExecutionTool") {
		f.Warnings = append(f.Warnings, fmt.Sprintf("needs a tool to run: %s",
			orElse(f.Model.GenerationTool, "it does not name the tool")))
	}
	return f.findLibrary()
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// folders lists the possible names of the folder in binaries/ for this platform, in order of
// preference.
func folders(major int) []string {
	machine := map[string]string{"amd64": "x86_64", "386": "x86", "arm64": "aarch64",
		"arm": "aarch32"}[runtime.GOARCH]
	list := []string{machine + "-" + runtime.GOOS}
	if old := map[string]string{"x86_64": "64", "x86": "32"}[machine]; major < 3 && old != "" {
		list = append([]string{strings.Replace(runtime.GOOS, "windows", "win", 1) + old}, list...)
	}
	return list
}

func (f *FMU) findLibrary() error {
	var there []string
	for _, p := range f.archive.Platforms {
		there = append(there, p.Name)
	}
	file := f.libraryName()
	wanted := folders(int(f.Model.Major()))
	for _, folder := range wanted {
		k := slices.Index(there, folder)
		if k < 0 {
			continue
		}
		for _, b := range f.archive.Platforms[k].Binaries {
			if b.Name == "binaries/"+folder+"/"+file {
				f.Platform = folder
				return nil
			}
		}
		return fault.New(ErrInvalid, fault.In(f.Path), "no "+file+" in binaries/"+folder,
			"the library that the modelIdentifier names")
	}
	found, hint := "no binaries", "compile its sources"
	if len(there) > 0 {
		found, hint = "binaries for "+strings.Join(there, ", "), "export it for this platform"
	}
	if len(f.archive.Sources) == 0 && len(there) == 0 {
		hint = "export it with binaries"
	}
	return fault.New(ErrInvalid, fault.In(f.Path), found,
		"binaries/"+strings.Join(wanted, " or binaries/")).WithHint(hint)
}

// Variables lists the variables of the FMU that a host can read or set. The three Integers of a
// notional binary variable count as one Binary. Array sizes follow from the structural parameters
// in the model description.
func (f *FMU) Variables() []cosim.Variable { return f.table.describe(nil) }

// Clocked reports whether the FMU has clocks that tick. If so, its instances use Event Mode, and
// the host keeps its own state for them.
func (f *FMU) Clocked() bool { return f.table.clocked }

// HasEventMode reports whether events can be handled in Event Mode (FMI 3.0).
func (f *FMU) HasEventMode() bool { return f.slave.Capabilities.Has("hasEventMode") }

// imported lists the libraries that a library needs. The list is empty for a file that is not an
// ELF file; the dynamic loader fails to load it and reports the reason.
func imported(path string) []string {
	library, err := elf.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = library.Close() }() // opened for reading only
	names, err := library.ImportedLibraries()
	if err != nil {
		return nil
	}
	return names
}

// libraryName returns the name of the library file on this platform.
func (f *FMU) libraryName() string {
	if runtime.GOOS == "windows" {
		return f.slave.ModelIdentifier + ".dll"
	}
	return f.slave.ModelIdentifier + ".so"
}

// Library returns the path of the library in the folder into which the FMU has been unpacked.
func (f *FMU) Library(folder string) string {
	return filepath.Join(folder, "binaries", f.Platform, f.libraryName())
}

// core returns the path of the Go library that the library of an FMU loads on instantiation if
// gosmp has packed the FMU, and "" otherwise. Its name consists of the modelIdentifier and a hash.
func (f *FMU) core(folder string) string {
	prefix := "binaries/" + f.Platform + "/" + f.slave.ModelIdentifier + "-core-"
	for _, e := range f.packed.File {
		hash, is := strings.CutPrefix(e.Name, prefix)
		if hash, ends := strings.CutSuffix(hash, ".so"); is && ends && coreHash.MatchString(hash) {
			return filepath.Join(folder, filepath.FromSlash(e.Name))
		}
	}
	return ""
}

var coreHash = regexp.MustCompile(`^[0-9a-f]{16}$`)

// Resources returns the location of the resources in the form that the FMI version requires: a URI,
// which in FMI 1.0 is the URI of the unpacked FMU, or a path that ends in a separator; empty if
// there are no resources.
func (f *FMU) Resources(folder string) string {
	if f.Model.Major() > 1 {
		folder = filepath.Join(folder, "resources")
	}
	if f.Model.Major() < 3 {
		if drive := filepath.VolumeName(folder); drive != "" { // file:///C:/folder
			return "file:///" + drive + escape(filepath.ToSlash(folder[len(drive):]))
		}
		return "file://" + escape(filepath.ToSlash(folder))
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return ""
	}
	return folder + string(filepath.Separator)
}

// escape percent-encodes everything in a path except slashes and the unreserved characters of RFC
// 3986, because FMUs decode URIs in different ways.
func escape(path string) string {
	parts := strings.Split(path, "/")
	for k := range parts {
		parts[k] = strings.NewReplacer("+", "%20", "%7E", "~").Replace(url.QueryEscape(parts[k]))
	}
	return strings.Join(parts, "/")
}

// Tolerance returns the relative tolerance of the DefaultExperiment. It returns nil without a
// usable tolerance, or if, as in FMI 1.0, the FMU cannot receive one.
func (f *FMU) Tolerance() *float64 {
	t := f.Model.DefaultExperiment.Tolerance
	if t == nil || f.Model.Major() == 1 || !(*t > 0) || math.IsInf(*t, 1) {
		return nil
	}
	return t
}

// InternalStep returns fixedInternalStepSize in seconds (FMI 3.0); 0 if there is none.
func (f *FMU) InternalStep() float64 {
	for _, c := range f.slave.Capabilities {
		if step, ok := c.Value.(float64); ok && c.Name == "fixedInternalStepSize" && c.Stated {
			return step
		}
	}
	return 0
}
