package trial

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/experiment"
	"gosmp/experiment/scxml"
	"gosmp/internal/decimal"
	"gosmp/internal/fault"
)

// Setting gives a value to a parameter of an experiment, replacing the one in its files:
//
//	PARAMETER        a global parameter of the scenario that is the environment
//	timeout          seconds of the clock that Verdict.TimeoutClock names
//	ROBOT.x          the pose of a vehicle: x, y and z in m, roll, pitch and yaw in rad
//	FMU.VARIABLE     the start value of a variable, as in a BIBI document or a system structure
//	MACHINE.DATA     an element <data> at the top level of a machine; a number, a text or JSON
type Setting struct{ Name, Value string }

// ParseSetting reads NAME=VALUE.
func ParseSetting(text string) (Setting, error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return Setting{}, fault.New(ErrInvalid, fault.At(text),
			"a setting without a name or a value", "NAME=VALUE")
	}
	return Setting{strings.TrimSpace(name), value}, nil
}

// String returns NAME=VALUE.
func (s Setting) String() string { return s.Name + "=" + s.Value }

// target applies a setting to one kind of parameter. It returns false for other names.
type target func(s Setting, owner, part string) (bool, error)

// apply applies all settings to the documents that were read, before anything is built. If a name
// is set several times, the last setting wins.
func (t *Trial) apply() error {
	targets := []target{t.setTimeout, t.setPose, t.setStart, t.setData, t.setParameter}
	for _, s := range t.options.Set {
		owner, part, known := experiment.CutOwner(s.Name, t.owns)
		if !known {
			owner, part = s.Name, ""
		}
		found := 0
		for _, set := range targets {
			is, err := set(s, owner, part)
			if err != nil {
				return err
			}
			if is {
				found++
			}
		}
		switch {
		case found == 0:
			return fault.New(ErrInvalid, fault.At("setting "+s.String()),
				fmt.Sprintf("%q, which is no parameter of the experiment", s.Name),
				strings.Join(t.settable(), ", "))
		case found > 1:
			return fault.New(ErrInvalid, fault.At("setting "+s.String()),
				"a name that "+strconv.Itoa(found)+" parts of the experiment have",
				"names that differ")
		}
	}
	return nil
}

// owns reports whether a vehicle, an FMU or a machine has this name.
func (t *Trial) owns(name string) bool {
	return t.participates(name) || slices.Contains(t.vehicles(), name) ||
		slices.ContainsFunc(t.charts, func(c chart) bool { return c.id == name })
}

func (s Setting) number() (float64, error) {
	x, err := decimal.Float(s.Value, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, fault.New(ErrInvalid, fault.At("setting "+s.String()), fmt.Sprintf("%q", s.Value),
			"a finite number")
	}
	return x, nil
}

// settable lists the parameters that can be set, for errors.
func (t *Trial) settable() (names []string) {
	if t.scenario != nil {
		names = slices.Clone(t.scenario.Parameters)
	} else {
		for _, name := range t.vehicles() {
			names = append(names, name+".x")
		}
	}
	for _, p := range t.bibi.FMUs {
		names = append(names, p.Name+".VARIABLE")
	}
	for _, p := range t.wiring.Participants {
		names = append(names, p.Name+".VARIABLE")
	}
	for _, c := range t.charts {
		for _, d := range c.chart.Root().Data {
			names = append(names, c.id+"."+d.ID)
		}
	}
	return append(names, "timeout")
}

func (t *Trial) setTimeout(s Setting, owner, part string) (bool, error) {
	if owner != "timeout" || part != "" {
		return false, nil
	}
	x, err := s.number()
	if err == nil && !(x > 0) {
		err = fault.New(ErrInvalid, fault.At("setting "+s.String()), s.Value, "seconds above 0")
	}
	if err == nil {
		clock := "simulation"
		if d := t.description.Timeout; d != nil {
			clock = d.Clock
		}
		t.description.Timeout = &experiment.Timeout{Seconds: x, Clock: clock}
	}
	return true, err
}

func (t *Trial) setPose(s Setting, owner, part string) (bool, error) {
	poses := t.description.Environment.Poses
	if t.scenario != nil {
		poses = nil // have no effect
	}
	k := slices.IndexFunc(poses, func(p experiment.RobotPose) bool { return vehicle(p) == owner })
	if k < 0 {
		return false, nil
	}
	p := &poses[k]
	at := map[string]*float64{"x": &p.X, "y": &p.Y, "z": &p.Z, "roll": &p.Roll, "pitch": &p.Pitch,
		"yaw": &p.Yaw}[part]
	if at == nil {
		return true, fault.New(ErrInvalid, fault.At("setting "+s.String()), part,
			"x, y, z, roll, pitch or yaw of a vehicle")
	}
	x, err := s.number()
	*at = cmp.Or(x, 0) // not -0
	return true, err
}

func (t *Trial) setStart(s Setting, owner, part string) (bool, error) {
	value := experiment.StartValue{Name: part, Value: s.Value}
	for k := range t.bibi.FMUs {
		if p := &t.bibi.FMUs[k]; p.Name == owner {
			same := func(v experiment.StartValue) bool { return v.Name == part }
			p.Start = append(slices.DeleteFunc(slices.Clone(p.Start), same), value)
			return true, nil
		}
	}
	for _, p := range t.wiring.Participants {
		if p.Name == owner && p.SetStart != nil {
			p.SetStart(value)
			return true, nil
		}
	}
	return false, nil
}

func (t *Trial) setData(s Setting, owner, part string) (bool, error) {
	k := slices.IndexFunc(t.charts, func(c chart) bool { return c.id == owner })
	if k < 0 {
		return false, nil
	}
	var x any = s.Value
	if json.Valid([]byte(s.Value)) {
		x = json.RawMessage(s.Value)
	}
	v, err := scxml.ValueOf(x)
	if err != nil {
		return true, fault.New(ErrInvalid, fault.At("setting "+s.String()),
			fmt.Sprintf("%q", s.Value), "a number, a text or JSON")
	}
	if !slices.ContainsFunc(t.charts[k].chart.Root().Data,
		func(d *scxml.Data) bool { return d.ID == part }) {
		return true, fault.New(ErrInvalid, fault.At("setting "+s.String()),
			fmt.Sprintf("%q, which is not data of the top level of %s", part, owner),
			strings.Join(t.settable(), ", "))
	}
	t.charts[k].data = append(t.charts[k].data, given{part, v})
	return true, nil
}

// given is a value for a data element of a machine.
type given struct {
	id    string
	value scxml.Value
}

// Quoted quotes a word for a POSIX shell.
func Quoted(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("_-+=.,:/@%", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
