package examine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/importer/examine"
	"gosmp/internal/finding"
)

// find builds and examines FMUs with the given faults. In short mode, an FMU has several faults
// that do not disturb each other, only their rules are tested, and faults that need an FMU of their
// own are left out if another one breaks the same rule, which saves most of the time. Otherwise,
// each FMU has one fault, which must not refute any other rule.
func find(t *testing.T, base string, list []edit) {
	for _, g := range grouped(list) {
		t.Run(g.name(), func(t *testing.T) {
			t.Parallel()
			var flags, change []string
			for _, f := range g {
				flags, change = append(flags, f.flags), append(change, f.change...)
			}
			fmu := buildFrom(t, g.source(t, base), base, strings.Join(flags, " "), change...)
			if folder := os.Getenv("GOSMP_FAULTS"); folder != "" {
				g.keep(t, fmu, folder)
				return
			}
			r := run(t, fmu, g.options())
			require.Equal(t, "", g.problem(r))
			if !testing.Short() {
				requireRepeats(t, fmu, r)
			}
		})
	}
}

// keep stores an FMU for other programs: GOSMP_FAULTS=folder go test ./importer/examine. The FMUs are
// not examined then.
func (g group) keep(t *testing.T, fmu, folder string) {
	name := strings.NewReplacer(" ", "-", "/", "-").Replace(g.name())
	content, err := os.ReadFile(fmu)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, name+".fmu"), content, 0o600))
}

// group is a list of faults of one FMU.
type group []edit

// alone lists faults that hide others in the same FMU: crashes, refused calls, messages that replace
// others, and differences between processes.
var alone = []string{"-DTIRED", "-DSTATUS", "-DCLOCK", "-DOUTLIVES", "-DLASTWORD", "-DLENIENT",
	"-DCATEGORY", "-DNULLCRASH", "-DOVERRUN", "-DSTATIC", "-DEARLY", "-DEVENTFUL", "-DUNSETTLED",
	"-DDISCARDS -DENDS -DENDSAFTER=0.25", "-DDISCARDS -DMUTE", "-DCLOCKS -DUNSETTLED",
	"-DPERCENTS", "-DSTRICT", "-DNOTNUMBER", "-DNOSTOP",
	"-DSLOWER", "-DFIXED", "-DUNKNOWN", "-DONCE", "-DOSMP -DZEROENDED", "-DOSMP -DLATESTAMP",
	"-DOSMP -DGARBLED", "-DOSMP -DNOMIRROR", "-DOSMP -DEAGER", "-DNOTEXT", "-DONESTATE",
	"-DSTAYSBROKEN", "-DSPEECHLESS", "-DFORGETSX", "-DKEEPSINPUT", "-DREMEMBERS",
	"refused instances keep memory", "half an address", "destructor of the library",
	"destructor of a thread", "input after initialization", "size without a message",
	"discarded step that remains", "states are refused", "text in ASCII", "start values",
	"message of a thread that needs time", "outputs in the initialization",
	"texts are copied for each call", "limited input", "output after the end",
	"damaged configuration", "mapped memory is kept", "message that is required",
	"address with a sign", "only one clock at a time", "an event that nobody asked for",
	"crash in a tick", "a clocked output that is refused", "event without Event Mode",
	"Event Mode at any time", "input of the latest instance",
	"active clocks in a state", "error long after an announced event",
	"address of the message before", "address of the message before, in quarters of a second",
	"second library", "Model Exchange",
	"state of another size is refused", "state of another size is not serialized",
	"an output clock that is read once", "high half of the first address",
	"crash of a URI without slashes"}

// grouped divides faults into groups for one FMU each.
func grouped(list []edit) (groups []group) {
	const most = 8
	chosen := map[string]bool{} // rules of faults that hide others
	for _, f := range list {
		at := -1
		if testing.Short() && f.hides() {
			if chosen[f.rule] || shared()[f.rule] {
				continue
			}
			chosen[f.rule] = true
		}
		if testing.Short() {
			at = slices.IndexFunc(groups, func(g group) bool {
				return len(g) < most && !slices.ContainsFunc(g, func(h edit) bool {
					return !f.goesWith(&h)
				})
			})
		}
		if at < 0 {
			groups = append(groups, group{f})
		} else {
			groups[at] = append(groups[at], f)
		}
	}
	return groups
}

// shared returns the rules that faults break that can be in one FMU with others.
var shared = sync.OnceValue(func() map[string]bool {
	rules := map[string]bool{}
	for _, list := range [][]fault{faults2, faults3} {
		for _, f := range list {
			if e := (edit{name: f.flags, fault: f}); !e.hides() {
				rules[f.rule] = true
			}
		}
	}
	for _, f := range slices.Concat(edits2, relatives2, innate2, latent2, tuned2, unusual2, edits3,
		relatives3, innate3, latent3, tuned3, beats) {
		if !f.hides() {
			rules[f.rule] = true
		}
	}
	return rules
})

// hides reports whether the fault hides others in the same FMU.
func (f *edit) hides() bool { return slices.Contains(alone, f.name) }

// goesWith reports whether one FMU can have both faults: they break different rules, neither breaks
// the rule of the other one, and they concern different parts of the FMU.
func (f *edit) goesWith(g *edit) bool {
	osmp := func(f *edit) bool { return strings.Contains(f.flags, "-DOSMP") }
	return f.rule != g.rule && !strings.Contains(f.may+" ", g.rule+" ") &&
		!strings.Contains(g.may+" ", f.rule+" ") && osmp(f) == osmp(g) &&
		(f.change == nil || g.change == nil) && apart(f.old, g.old) && !f.hides() && !g.hides()
}

// apart reports whether two parts of a source can be replaced one after the other.
func apart(a, b string) bool {
	return a == "" || b == "" || !strings.Contains(a, b) && !strings.Contains(b, a)
}

func (g group) name() string {
	names := make([]string, len(g))
	for k, f := range g {
		names[k] = f.rule + " " + f.name
	}
	return strings.Join(names, ", ")
}

// options returns the options for the examination: in short mode, only the rules of the faults.
// Calls may take as long as they need on a busy machine, unless a fault is one without an answer.
func (g group) options() examine.Options {
	o := examine.Options{Limit: time.Minute}
	for _, f := range g {
		if f.flags == "-DNOTNUMBER" {
			o.Limit = 0
		}
		if !testing.Short() {
			continue
		}
		o.Lives = 60 // the fewest in which a block that is allocated now and then does not count
		o.Only = append(o.Only, f.rule)
		if strings.Contains(f.name, "of a long step") {
			o.Only = append(o.Only, "S4") // which takes some
		}
		if strings.Contains(f.name, "far from the default") {
			o.Only = append(o.Only, "S1") // which begins there
		}
	}
	return o
}

// problem describes what is wrong with a report about the faults.
func (g group) problem(r *examine.Report) (text string) {
	found := map[string]finding.Severity{}
	for _, x := range r.Findings() {
		found[x.ID] = x.Severity
		if !slices.ContainsFunc(g, func(f edit) bool {
			return x.ID == f.rule || slices.Contains(strings.Fields(f.may), x.ID)
		}) {
			return x.String()
		}
	}
	for _, f := range g {
		severity, is := found[f.rule]
		switch {
		case !is:
			text += fmt.Sprintf("%s was not refuted by %s: %v\n", f.rule, f.name, found)
		case severity != f.severity:
			text += fmt.Sprintf("%s is of severity %v, by %s\n", f.rule, severity, f.name)
		}
	}
	return text
}

// next separates several parts of a source that an edit replaces.
const next = "\x00"

// source returns the path of the C source with the faults.
func (g group) source(t *testing.T, base string) string {
	path := "testdata/" + base + ".c"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	code := string(text)
	for _, f := range g {
		if f.old == "" {
			continue
		}
		later := strings.Split(f.new, next)
		for k, old := range strings.Split(f.old, next) {
			if !strings.Contains(code, old) {
				included, err := os.ReadFile("testdata/message.h")
				require.NoError(t, err)
				code = strings.Replace(code, "#include \"message.h\"", string(included), 1)
			}
			require.Contains(t, code, old)
			code = strings.Replace(code, old, later[k], 1)
		}
		if strings.Contains(f.new, "c_first()") {
			code = strings.Replace(code, "text fmi2GetTypesPlatform",
				"void gone(void *p) { free(p); }\n"+
					"static void *c_first(void) { return malloc(8); }\ntext fmi2GetTypesPlatform", 1)
		}
	}
	if code == string(text) {
		return path
	}
	name := filepath.Join(t.TempDir(), "edited.c")
	require.NoError(t, os.WriteFile(name, []byte(code), 0o600))
	return name
}
