package osmprules

import (
	"errors"
	"fmt"
	"mime"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestB1_PrefixesAreStructuredNames(t *testing.T) {
	holds(t, func(d *description) error {
		return d.each("", func(name string, _ []part) error {
			if !structuredName.MatchString(name) {
				return errors.New("no structured name")
			}
			return nil
		})
	}, spoil{`name="OSMPSensorDataOut"`, `name="OSMP SensorDataOut"`},
		spoil{`name="OSMPSensorDataOut"`, `name="OSMPSensorDataOut[]"`})
}

func TestB2_ThreeIntegers(t *testing.T) {
	holds(t, func(d *description) error {
		return d.each("", func(_ string, parts []part) error {
			for _, p := range parts {
				if p.Integer == nil {
					return fmt.Errorf("%s is not an Integer", p.variable.Name)
				}
			}
			return nil
		})
	}, spoil{"<Integer", "<Real"})
}

func TestB4_HighHalfExistsAlsoFor32Bits(t *testing.T) {
	holds(t, func(d *description) error {
		return d.each("", func(_ string, parts []part) error {
			for _, p := range parts {
				if p.Role == "base.hi" {
					return nil
				}
			}
			return errors.New("no base.hi")
		})
	}, spoil{`role="base.hi"`, `role="base.high"`})
}

// The model compiles for a 32-bit platform. Package osmp tests that its addresses have a high half
// of 0 there.
func TestB4_CompilesFor32Bits(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the standard library for another processor")
	}
	c := exec.Command("go", "build", "gosmp/sensor/dummysensor")
	c.Env = append(os.Environ(), "GOOS=linux", "GOARCH=386", "CGO_ENABLED=0")
	text, err := c.CombinedOutput()
	require.NoError(t, err, string(text))
}

func TestB6_CausalityAndVariabilityAreEqualInATriple(t *testing.T) {
	holds(t, func(d *description) error {
		return d.each("", func(_ string, parts []part) error {
			for _, p := range parts {
				if p.Causality == "" || p.Causality != parts[0].Causality || p.Variability == "" ||
					p.Variability != parts[0].Variability {
					return fmt.Errorf("%s is %s %s", p.variable.Name, p.Variability, p.Causality)
				}
			}
			return nil
		})
	}, spoil{`number of bytes" causality="input"`, `number of bytes" causality="output"`},
		spoil{`number of bytes" causality="output" variability="discrete"`,
			`number of bytes" causality="output" variability="continuous"`})
}

func TestB7_StartIs0UnlessForbidden(t *testing.T) {
	holds(t, func(d *description) error {
		return d.each("", func(_ string, parts []part) error {
			for _, p := range parts {
				forbidden := p.Causality == "calculatedParameter"
				switch start := p.Integer.Start; {
				case forbidden && start != nil:
					return fmt.Errorf("%s has start %q, FMI forbids one", p.variable.Name, *start)
				case !forbidden && (start == nil || *start != "0"):
					return fmt.Errorf("%s has no start 0", p.variable.Name)
				}
			}
			return nil
		})
	}, spoil{`<Integer start="0"/>`, `<Integer/>`}, spoil{`<Integer start="0"/>`,
		`<Integer start="1"/>`},
		spoil{`<Integer/>`, `<Integer start="0"/>`})
}

func TestB9_NoVariableIsNamedLikeAPrefix(t *testing.T) {
	holds(t, func(d *description) error {
		return d.each("", func(name string, _ []part) error {
			if slices.ContainsFunc(d.Variables, func(v *variable) bool { return v.Name == name }) {
				return errors.New("a variable has this very name")
			}
			return nil
		})
	}, spoil{`<ScalarVariable name="valid"`, `<ScalarVariable name="OSMPSensorDataOut"`})
}

// kind checks OSMP's rules for one kind of notional variable.
func kind(base, message, causality string, variabilities ...string) func(*description) error {
	return func(d *description) error {
		return d.each(base, func(_ string, parts []part) error {
			for _, p := range parts {
				_, parameters, err := mime.ParseMediaType(p.MIME)
				if err != nil || parameters["type"] != message {
					return fmt.Errorf("MIME type %q, expected type=%s", p.MIME, message)
				}
				if p.Causality != causality || !slices.Contains(variabilities, p.Variability) {
					return fmt.Errorf("%s %s, expected %s %s", p.Variability, p.Causality,
						variabilities, causality)
				}
			}
			return nil
		})
	}
}

func TestV1_V3_V4_SensorViewInput(t *testing.T) {
	holds(t, kind("OSMPSensorViewIn", "SensorView", "input", "discrete"),
		spoil{"OSMPSensorViewIn", "OSMPSensorViewInput"}, spoil{`causality="input"`,
			`causality="local"`},
		spoil{`causality="input" variability="discrete"`,
			`causality="input" variability="continuous"`},
		spoil{"type=SensorView;", "type=SensorData;"})
}

func TestD1_D3_D4_SensorDataOutput(t *testing.T) {
	holds(t, kind("OSMPSensorDataOut", "SensorData", "output", "discrete"),
		spoil{"OSMPSensorDataOut", "OSMPSensorDataOutput"}, spoil{`causality="output"`,
			`causality="local"`},
		spoil{`causality="output" variability="discrete"`,
			`causality="output" variability="continuous"`},
		spoil{"type=SensorData;", "type=SensorView;"})
}

func TestC2_C3_C4_ConfigurationPair(t *testing.T) {
	holds(t, func(d *description) error {
		if err := kind("OSMPSensorViewInConfigRequest", "SensorViewConfiguration",
			"calculatedParameter", "fixed", "tunable")(d); err != nil {
			return err
		}
		_, parts := d.binaries()
		agreed := parts["OSMPSensorViewInConfigRequest"][0].Variability
		return kind("OSMPSensorViewInConfig", "SensorViewConfiguration", "parameter", agreed)(d)
	}, spoil{`causality="calculatedParameter"`, `causality="output"`},
		spoil{"type=SensorViewConfiguration", "type=SensorView"},
		spoil{`causality="calculatedParameter" variability="fixed"`,
			`causality="calculatedParameter" variability="tunable"`},
		spoil{`causality="calculatedParameter" variability="fixed"`,
			`causality="calculatedParameter" variability="discrete"`})
}

// FMI 2.0 requires calculated parameters among the InitialUnknowns, with their dependencies.
func TestC2_RequestIsAnInitialUnknown(t *testing.T) {
	holds(t, func(d *description) error {
		for k, v := range d.Variables {
			if !strings.HasPrefix(v.Name, "OSMPSensorViewInConfigRequest.") {
				continue
			}
			at := -1
			for n, u := range d.Initial {
				if u.Index == k+1 {
					at = n
				}
			}
			if at < 0 {
				return fmt.Errorf("%s is not an InitialUnknown", v.Name)
			}
			dependencies := strings.Fields(d.Initial[at].Dependencies)
			for n, parameter := range d.Variables {
				if parameter.Name == "nominalrange" && !slices.Contains(dependencies,
					strconv.Itoa(n+1)) {
					return fmt.Errorf("%s does not depend on nominalrange", v.Name)
				}
			}
		}
		return nil
	}, spoil{`<Unknown index="7" dependencies="10`, `<Unknown index="700" dependencies="10`},
		spoil{`dependencies="10 11 12 15`, `dependencies="10 11 12`})
}

func TestC1_RequestComesWithAConfiguration(t *testing.T) {
	holds(t, func(d *description) error {
		names, _ := d.binaries()
		for _, name := range names {
			index, ok := strings.CutPrefix(name, "OSMPSensorViewInConfigRequest")
			if ok && !slices.Contains(names, "OSMPSensorViewInConfig"+index) {
				return fmt.Errorf("%s has no configuration", name)
			}
		}
		if !slices.Contains(names, "OSMPSensorViewInConfigRequest") {
			return errors.New("no request")
		}
		return nil
	}, spoil{`name="OSMPSensorViewInConfig" role`, `name="OSMPSensorViewConfig" role`})
}

// numbered checks indices: none for a single variable, otherwise from 1 without gaps.
func numbered(base string) func(*description) error {
	return func(d *description) error {
		names, _ := d.binaries()
		var indices []int
		bare := false
		for _, name := range names {
			rest, ok := strings.CutPrefix(name, base)
			switch {
			case !ok || rest != "" && rest[0] != '[':
				continue
			case rest == "":
				bare = true
			default:
				n, err := strconv.Atoi(strings.Trim(rest, "[]"))
				if err != nil {
					return fmt.Errorf("index of %s: %w", name, err)
				}
				indices = append(indices, n)
			}
		}
		slices.Sort(indices)
		for k, n := range indices {
			if n != k+1 {
				return fmt.Errorf("indices %v", indices)
			}
		}
		if bare == (len(indices) > 0) || len(indices) == 1 {
			return fmt.Errorf("%s without index: %v, indices %v", base, bare, indices)
		}
		return nil
	}
}

func TestV2_D2_IndicesStartAt1WithoutGaps(t *testing.T) {
	for _, base := range []string{"OSMPSensorViewIn", "OSMPSensorDataOut"} {
		old := `name="` + base + `"`
		holds(t, numbered(base), spoil{old, `name="` + base + `[1]"`}, spoil{old, `name="` + base +
			`[0]"`},
			spoil{old, `name="` + base + `[2]"`}, spoil{old + ` role="size"`, `name="` + base +
				`[1]" role="size"`})
	}
}

// OSMP defines three kinds of models by their inputs and outputs; this one is a sensor model only.
func TestL1_E1_InputsAndOutputsAreThoseOfASensorModel(t *testing.T) {
	holds(t, func(d *description) error {
		types := map[string][]string{}
		err := d.eachMessage(func(_ string, parts []part) error {
			_, parameters, err := mime.ParseMediaType(parts[0].MIME)
			types[parts[0].Causality] = append(types[parts[0].Causality], parameters["type"])
			return err
		})
		in, out := types["input"], types["output"]
		if !slices.Equal(in, []string{"SensorView"}) || !slices.Equal(out, []string{"SensorData"}) {
			return fmt.Errorf("%v in, %v out", in, out)
		}
		return err
	}, spoil{"type=SensorView;", "type=SensorData;"}, spoil{"type=SensorData;", "type=SensorView;"})
}

// A single input has no index, so its configuration has none either: equal indices pair the two.
func TestG2_ConfigurationsPairWithInputsByIndex(t *testing.T) {
	indices := func(names []string, base string) (list []string) {
		for _, name := range names {
			if rest, ok := strings.CutPrefix(name, base); ok && (rest == "" || rest[0] == '[') {
				list = append(list, rest)
			}
		}
		return list
	}
	holds(t, func(d *description) error {
		names, _ := d.binaries()
		views := indices(names, "OSMPSensorViewIn")
		for _, base := range []string{"OSMPSensorViewInConfig", "OSMPSensorViewInConfigRequest"} {
			if found := indices(names, base); len(found) > 0 && !slices.Equal(found, views) {
				return fmt.Errorf("%s%q for inputs %q", base, found, views)
			}
		}
		return nil
	}, spoil{`name="OSMPSensorViewInConfig"`, `name="OSMPSensorViewInConfig[1]"`},
		spoil{`name="OSMPSensorViewIn"`, `name="OSMPSensorViewIn[1]"`})
}
