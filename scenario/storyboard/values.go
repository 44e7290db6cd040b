package storyboard

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"gosmp/internal/fault"
	"gosmp/scenario"
)

// values holds the values that a storyboard can change and compare.
type values struct {
	parameters map[string]*value
	variables  map[string]*value
	monitors   map[string]*value
	monitored  []string          // the names of the monitors in document order
	defined    map[string]*value // user-defined values
}

// value is a parameter, a variable or a monitor while the scenario runs.
type value struct {
	kind    string // double, string, ...
	current comparand
	set     bool
}

func newValues(s *scenario.Scenario) *values {
	v := &values{map[string]*value{}, map[string]*value{}, map[string]*value{}, nil,
		map[string]*value{}}
	for _, p := range s.Parameters {
		v.parameters[p.Name] = &value{p.Type, comparandOf(p.Value.String()), true}
	}
	for _, d := range s.Root.Child("VariableDeclarations").All("VariableDeclaration") {
		v.variables[d.Value("name")] = &value{d.Value("variableType"),
			comparandOf(d.Value("value")), true}
	}
	for _, d := range s.Root.Child("MonitorDeclarations").All("MonitorDeclaration") {
		v.monitors[d.Value("name")] = &value{"boolean", comparandOf(d.Value("value")), true}
		v.monitored = append(v.monitored, d.Value("name"))
	}
	return v
}

func (v *value) read() (comparand, bool) { return v.current, v.set }

// user returns a user-defined value, creating it on first use.
func (v *values) user(name string) *value {
	if v.defined[name] == nil {
		v.defined[name] = &value{kind: "string"}
	}
	return v.defined[name]
}

// SetUserDefined sets the value that is compared by UserDefinedValueConditions with that name.
func (b *Board) SetUserDefined(name, text string) {
	v := b.values.user(name)
	v.current, v.set = comparandOf(text), true
}

// SetVariable sets a variable from outside. It reports whether a variable with that name exists.
func (b *Board) SetVariable(name, text string) bool {
	v := b.values.variables[name]
	if v != nil {
		v.current = comparandOf(text)
	}
	return v != nil
}

// Variable returns the value of a variable; ok is false if no variable has that name.
func (b *Board) Variable(name string) (text string, ok bool) {
	if v := b.values.variables[name]; v != nil {
		return v.current.text, true
	}
	return "", false
}

// Monitors returns the monitors and their values in document order.
func (b *Board) Monitors() (list []scenario.Parameter) {
	for _, name := range b.values.monitored {
		v := b.values.monitors[name]
		list = append(list, scenario.Parameter{Name: name, Type: "boolean",
			Value: scenario.ValueOf(v.current.text)})
	}
	return list
}

// instant is an action that takes no time and competes with no other.
type instant struct{}

func (instant) Domains() Domain { return 0 }
func (instant) Ended() bool     { return true }
func (instant) Stop()           {}

// assignment is a ParameterAction, a VariableAction or a SetMonitorAction.
type assignment struct {
	instant
	place       fault.Place
	target      *value
	set         comparand
	modify      bool
	add, factor float64
}

// Start fails if the target is an integer and the result is not.
func (a *assignment) Start(float64, func(Note)) error {
	result := a.set
	if a.modify {
		x := float64(a.target.current.number*a.factor) + a.add
		result = comparand{scenario.FormatNumber(x), x, true}
	}
	if found, expected := a.target.unfit(result); expected != "" {
		return fault.New(scenario.ErrParameter, a.place, found, expected)
	}
	a.target.current = result
	return nil
}

// unfit returns the value found and what the declared type requires instead.
func (v *value) unfit(c comparand) (found, expected string) {
	switch v.kind {
	case "double":
		if !c.is {
			return c.text, "a number"
		}
	case "int", "integer", "unsignedInt", "unsignedShort":
		if !c.is || c.number != math.Trunc(c.number) || c.number < 0 && v.kind[0] == 'u' {
			return c.text, "a value of type " + v.kind
		}
	case "boolean":
		if c.text != "true" && c.text != "false" && c.text != "0" && c.text != "1" {
			return c.text, "true or false"
		}
	}
	return "", ""
}

// timeOfDay is the clock for the time of day, set by an Environment.
type timeOfDay struct {
	base, from float64 // seconds since 1970 at the simulation time from
	runs, set  bool
}

func (t *timeOfDay) at(now float64) (float64, bool) {
	if t.runs {
		return t.base + now - t.from, t.set
	}
	return t.base, t.set
}

// seconds reads an xs:dateTime. Without a time zone, it is in UTC.
func seconds(text string) (float64, error) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999",
		"2006-01-02T15:04:05.999999999Z0700"} {
		if t, err := time.Parse(layout, text); err == nil {
			return float64(t.Unix()) + float64(t.Nanosecond())/1e9, nil
		}
	}
	return 0, fmt.Errorf("not a date with a time: %s", strconv.Quote(text))
}

func dayText(x float64) string {
	return time.Unix(int64(x), 0).UTC().Format("2006-01-02T15:04:05Z")
}

// setTimeOfDay is the part of an EnvironmentAction that affects the storyboard.
type setTimeOfDay struct {
	Action
	board   *Board
	base    float64
	animate bool
}

func (s *setTimeOfDay) Start(now float64, report func(Note)) error {
	s.board.clock = timeOfDay{s.base, now, s.animate, true}
	return s.Action.Start(now, report)
}

// command is a CustomCommandAction. The commands exitSuccess and exitFailure end the run.
type command struct {
	instant
	board *Board
	kind  string
	text  string
}

// Start reports the command, which the calling program may execute.
func (c *command) Start(now float64, report func(Note)) error {
	report(Note{Time: now, Entity: NoEntity, Other: NoEntity, Kind: "custom command",
		Text: c.kind + " " + c.text})
	for _, text := range []string{c.kind, c.text} {
		if text == "exitSuccess" || text == "exitFailure" {
			c.board.exit = text
			c.board.stop(c.board.root, EndOfStoryboard+": "+text)
			return nil
		}
	}
	return nil
}
