package examine

import (
	"cmp"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/importer"
	"gosmp/internal/fault"
	"gosmp/osmp/check"
)

// subject is the FMU under examination.
type subject struct {
	fmu       *importer.FMU
	model     *archive.ModelDescription
	slave     *archive.Interface
	major     int
	folder    string // where the FMU is unpacked
	library   string
	resources string     // as passed to an instantiation
	variables []variable // without clocks
	clocks    []variable
	initially map[int]bool // initial unknowns, by their index
	triples   []triple     // notional binary variables of OSMP in FMI 2.0
	osmp      *check.Report

	start, stop, step float64
	hasStop           bool
	variableStep      bool      // steps may have any length
	events            bool      // Event Mode is used because there are clocks
	announced         []float64 // events of an ordinary life beyond which the FMU refuses steps
	fed               bool      // each step has messages: the FMU requires them
	tolerant          bool      // lives define a tolerance: the FMU requires one
	volatile          map[string]bool
	loose             map[string]bool        // parameters without bounds that may change a little
	drifting          map[string]bool        // variables for which V22 was refuted
	dead              map[string]bool        // texts that R16 has refuted: their values are random
	unpacked          map[string]os.FileInfo // the files of the archive as unpacked
}

// variable is a scalar or an array that can be read or set.
type variable struct {
	*archive.Variable
	index   int // as in the model description
	size    int // bytes of one element; 0 for texts and binaries
	n       int // elements
	partial bool
	clocked bool
}

// triple is a notional binary variable of OSMP.
type triple struct {
	check.Variable
	references []uint32 // low half, high half, size
}

func (s *subject) has(fmi2, fmi3 string) bool {
	if s.major == 2 {
		return s.slave.Capabilities.Has(fmi2)
	}
	return s.slave.Capabilities.Has(fmi3)
}

func (s *subject) canSave() bool { return s.has("canGetAndSetFMUstate", "canGetAndSetFMUState") }

func (s *subject) canSerialize() bool {
	return s.canSave() && s.has("canSerializeFMUstate", "canSerializeFMUState")
}

func (s *subject) once() bool {
	return s.has("canBeInstantiatedOnlyOncePerProcess", "canBeInstantiatedOnlyOncePerProcess")
}

// function returns the name of a function in the FMU's standard.
func (s *subject) function(name string) string { return "fmi" + strconv.Itoa(s.major) + name }

// newSubject opens and unpacks an FMU.
func newSubject(path, folder string) (*subject, error) {
	fmu, err := importer.Open(path)
	if err != nil {
		return nil, err
	}
	if fmu.Model.Major() == fmi.FMI1 {
		return nil, fault.New(importer.ErrInvalid, fault.In(path), "FMI "+fmu.Model.FMIVersion,
			"FMI 2.0 or 3.0").WithHint("check it without --run, or export the model again")
	}
	s := &subject{fmu: fmu, model: fmu.Model, major: int(fmu.Model.Major()), folder: folder,
		slave: fmu.Model.Interface(fmi.CoSimulation), initially: map[int]bool{},
		volatile: map[string]bool{}, loose: map[string]bool{}, drifting: map[string]bool{},
		dead: map[string]bool{}, osmp: check.Examine(fmu.Model)}
	if err := fmu.Unpack(folder); err != nil {
		return nil, err
	}
	s.unpacked = map[string]os.FileInfo{}
	for _, name := range fmu.Files() {
		if info, err := os.Stat(filepath.Join(folder, filepath.FromSlash(name))); err == nil &&
			!info.IsDir() {
			s.unpacked[name] = info
		}
	}
	s.library = fmu.Library(folder)
	s.resources = fmu.Resources(folder)
	if s.major == 2 {
		// hosts pass the location even if the archive has no resources
		if err := os.MkdirAll(filepath.Join(folder, "resources"), 0o755); err != nil {
			return nil, err
		}
	}
	s.experiment()
	s.collect()
	return s, nil
}

// experiment determines start, stop and step.
func (s *subject) experiment() {
	e := s.model.DefaultExperiment
	usable := func(p *float64) bool { return p != nil && !math.IsInf(*p, 0) && !math.IsNaN(*p) }
	if usable(e.StartTime) {
		s.start = *e.StartTime
	}
	s.stop = s.start + 1
	if usable(e.StopTime) && *e.StopTime > s.start {
		s.stop, s.hasStop = *e.StopTime, true
	}
	s.variableStep = s.slave.Capabilities.Has("canHandleVariableCommunicationStepSize")
	s.step = (s.stop - s.start) / 500
	if s.stop-s.start >= 1 {
		s.step = min(s.step, 0.1)
	}
	if usable(e.StepSize) && *e.StepSize > 0 {
		s.step = *e.StepSize
	}
	if internal := s.fmu.InternalStep(); internal > 0 {
		s.step = internal * max(1, math.Round(s.step/internal))
	}
	if s.step > s.stop-s.start {
		s.stop = s.start + float64(20*s.step)
		s.hasStop = false
	}
}

// steps returns the number of steps of length h, at most n.
func (s *subject) steps(n int, h float64) int {
	return max(1, min(n, int(math.Floor((s.stop-s.start)/h*(1+1e-9)))))
}

// collect builds the list of variables.
func (s *subject) collect() {
	parts := map[uint32]bool{}
	for _, v := range s.osmp.Variables {
		r := v.ValueReferences
		if s.major == 2 && r.BaseLo != nil && r.BaseHi != nil && r.Size != nil {
			s.triples = append(s.triples, triple{v, []uint32{*r.BaseLo, *r.BaseHi, *r.Size}})
			parts[*r.BaseLo], parts[*r.BaseHi], parts[*r.Size] = true, true, true
		}
	}
	for _, u := range s.model.InitialUnknowns {
		s.initially[u.Variable] = true
	}
	for k := range s.model.Variables {
		m := &s.model.Variables[k]
		v := variable{Variable: m, index: k, n: s.elements(m), size: s.width(m.Type),
			clocked: len(m.Clocks) > 0}
		v.partial = s.major == 2 && m.Type == fmi.Integer && parts[m.ValueReference]
		if m.Type == fmi.Clock {
			s.events = s.events || s.slave.Capabilities.Has("hasEventMode")
			v.size = 1
			s.clocks = append(s.clocks, v)
			continue
		}
		s.variables = append(s.variables, v)
	}
}

// width returns the size of a value in bytes, as passed to the standard's functions; 0 for texts
// and binaries.
func (s *subject) width(t fmi.Type) int {
	switch t {
	case fmi.String, fmi.Binary:
		return 0
	case fmi.Real, fmi.Float64, fmi.Int64, fmi.UInt64:
		return 8
	case fmi.Enumeration:
		return 4 * (s.major - 1)
	case fmi.Int8, fmi.UInt8:
		return 1
	case fmi.Int16, fmi.UInt16:
		return 2
	case fmi.Boolean:
		return map[int]int{2: 4, 3: 1}[s.major]
	}
	return 4
}

// typeName returns the type as used in function names.
func (s *subject) typeName(t fmi.Type) string {
	if t == fmi.Enumeration {
		return map[int]string{2: "Integer", 3: "Int64"}[s.major]
	}
	return t.String()
}

// elements returns the number of elements, with structural parameters at their start values.
func (s *subject) elements(v *archive.Variable) int {
	n := 1
	for _, d := range v.Dimensions {
		switch {
		case d.Start != nil:
			n *= int(min(*d.Start, 1<<20))
		case d.ValueReference != nil:
			for k := range s.model.Variables {
				w := &s.model.Variables[k]
				if w.ValueReference == *d.ValueReference && len(w.Start) == 1 {
					size, _ := strconv.Atoi(strings.TrimSpace(w.Start[0]))
					n *= size
				}
			}
		}
	}
	return min(n, 1<<20)
}

// readable reports whether a variable may be read in a state.
func (s *subject) readable(v *variable, in fmi.State) bool {
	if v.partial || v.clocked {
		return false
	}
	if s.major == 2 && in == fmi.InitializationMode {
		return v.Causality == fmi.Output || s.initially[v.index]
	}
	if in == fmi.Instantiated {
		return s.major == 3 && len(v.Start) > 0
	}
	return true
}

// settable reports whether a variable may be set in a state (FMI 2.0, 4.2.4; FMI 3.0, 4.2.1).
func (s *subject) settable(v *variable, in fmi.State) bool {
	if v.Variability == fmi.Constant || v.Causality == fmi.Independent || v.clocked || v.partial {
		return false
	}
	structural := v.Causality == fmi.StructuralParameter
	exact := v.Initial == fmi.Exact || v.Causality == fmi.Input
	switch in {
	case fmi.Instantiated:
		return !structural && (v.Initial == fmi.Approx ||
			exact && (s.major == 3 || v.Causality != fmi.Input))
	case fmi.InitializationMode:
		return exact && !structural
	case fmi.StepComplete, fmi.EventMode:
		if s.events && v.Variability == fmi.Discrete && in == fmi.StepComplete {
			return false
		}
		return v.Causality == fmi.Input ||
			v.Causality == fmi.Parameter && v.Variability == fmi.Tunable
	case fmi.ConfigurationMode:
		return structural
	case fmi.ReconfigurationMode:
		return structural && v.Variability == fmi.Tunable
	}
	return false
}

// inputs returns the variables of causality input for which values are available.
func (s *subject) inputs() (list []*variable) {
	for k := range s.variables {
		if v := &s.variables[k]; v.Causality == fmi.Input && !v.partial && !v.clocked {
			list = append(list, v)
		}
	}
	return list
}

// group is one call of a getter or setter, for variables of one type.
type group struct {
	typeName  string
	size      int
	variables []*variable
}

// grouped divides variables into groups by the functions that read and set them.
func (s *subject) grouped(list []*variable) (groups []group) {
	for _, v := range list {
		name := s.typeName(v.Type)
		k := slices.IndexFunc(groups, func(g group) bool { return g.typeName == name })
		if k < 0 {
			k = len(groups)
			groups = append(groups, group{typeName: name, size: v.size})
		}
		groups[k].variables = append(groups[k].variables, v)
	}
	slices.SortStableFunc(groups, func(a, b group) int {
		return cmp.Compare(a.typeName,
			b.typeName)
	})
	return groups
}

func (g *group) references() (list []uint32) {
	for _, v := range g.variables {
		list = append(list, v.ValueReference)
	}
	return list
}

func (g *group) values() (n int) {
	for _, v := range g.variables {
		n += v.n
	}
	return n
}

// workFolder is the name of a working folder of a life, see exam.run.
var workFolder = regexp.MustCompile(`\bwork\d+\b`)

// unlocated returns a text without the temporary folders of an examination, whose names differ
// each time: the same FMU results in the same report.
func (x *exam) unlocated(text string) string {
	const separator = string(filepath.Separator)
	text = strings.ReplaceAll(text, x.s.folder+separator, "")
	if without := strings.ReplaceAll(text, x.scratch+separator, ""); without != text {
		text = workFolder.ReplaceAllString(without, "work")
	}
	return text
}
