package smach

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/charset"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
)

// ErrMachine reports a script in which no state machine can be found.
var ErrMachine = errors.New("no state machine")

// Error is an error with its place.
type Error = fault.Error

// Translation is a chart, with a list of the parts of the script that it lacks.
type Translation struct {
	Chart      []byte
	States     int // states of the script
	Translated int // states that were translated
	Left       finding.List
}

// Translate creates an SCXML chart from a SMACH script. Parts that cannot be translated are listed
// with their lines, and appear in the chart as comments; the chart can be loaded in any case. It
// fails if the script has no machine.
func Translate(file string, text []byte) (*Translation, error) {
	if encoding := charset.Of(text); encoding != "" {
		return nil, fault.New(ErrMachine, fault.Line(file, 1), "text in "+encoding, "UTF-8").
			WithHint("save the file as UTF-8")
	}
	s := read(string(text))
	if s.machine == "" {
		return nil, fault.New(ErrMachine, fault.In(file),
			"no global variable that is a StateMachine", "sm = StateMachine(outcomes=[…])").
			WithHint("assign the machine to the global variable sm")
	}
	if len(s.states) == 0 {
		return nil, fault.New(ErrMachine, fault.In(file), "a machine without states",
			"StateMachine.add(name, state, transitions={…}) outside loops")
	}
	t := &translator{script: s, file: file, ids: map[string]string{}, taken: map[string]bool{},
		numbers: map[string]int{}, known: map[string]bool{}}
	t.write()
	return &Translation{[]byte(t.out.String()), len(s.states) + len(s.skipped), t.translated,
		t.left}, nil
}

type translator struct {
	*script
	file       string
	out        strings.Builder
	ids        map[string]string // ids of states, by their names in the script
	taken      map[string]bool
	numbers    map[string]int  // number of ids with the same prefix
	known      map[string]bool // states of the script
	translated int
	left       finding.List
}

func (t *translator) leave(line int, message, remedy string) {
	t.left = append(t.left, finding.Finding{Place: fault.Place{File: t.file, Line: line},
		ID: "EX14", Severity: finding.Warning, Message: message, Remedy: remedy})
	fmt.Fprintf(&t.out, "    <!-- line %d: %s -->\n", line, strings.ReplaceAll(escape(message), "-",
		"‐"))
}

// id turns a name into an XML id that no other name has.
func (t *translator) id(name string) string {
	if id := t.ids[name]; id != "" {
		return id
	}
	id := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r < 128 && (letter(byte(r)) || digit(byte(r))) {
			return r
		}
		return '_'
	}, name)
	if id == "" || !letter(id[0]) {
		id = "_" + id
	}
	base := id
	for t.taken[id] {
		t.numbers[base]++
		id = base + "_" + strconv.Itoa(t.numbers[base]+1)
	}
	t.ids[name], t.taken[id] = id, true
	return id
}

func (t *translator) write() {
	for _, x := range t.states {
		t.known[x.name] = true
	}
	for _, o := range t.outcomes {
		t.known[o] = true
	}
	fmt.Fprintf(&t.out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<scxml "+
			"xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\" initial=\"%s\">\n",
		t.id(t.states[0].name))
	var lost []string
	for _, x := range t.states {
		fmt.Fprintf(&t.out, "  <state id=\"%s\">\n", t.id(x.name))
		if t.state(&x) {
			t.translated++
		}
		t.out.WriteString("  </state>\n")
		for _, target := range x.targets {
			if !t.known[target] {
				lost = append(lost, target)
			}
		}
	}
	for _, line := range t.skipped {
		t.leave(line,
			"a state that is added in a loop or a branch, or under a "+
				"computed name, is not translated", "write it out")
	}
	slices.Sort(lost)
	for _, name := range slices.Compact(lost) {
		fmt.Fprintf(&t.out, "  <state id=\"%s\"><!-- not translated --></state>\n", t.id(name))
	}
	final := map[string]bool{}
	for _, o := range t.outcomes {
		if !final[o] && !t.named[o] {
			final[o] = true
			fmt.Fprintf(&t.out, "  <final id=\"%s\"/>\n", t.id(o))
		}
	}
	t.out.WriteString("</scxml>\n")
}

// patterns holds the constructors that are translated.
var patterns = map[string]func(*translator, *state) bool{
	"ClockDelayState": (*translator).delay, "WaitToClockState": (*translator).clock,
	"RobotPoseMonitorState": (*translator).pose, "MonitorState": (*translator).monitor,
	"MonitorTopicState": (*translator).monitor,
	"CBState":           (*translator).callback, "DestroyModel": (*translator).destroy,
	"SetModelPose": (*translator).move,
	"SpawnSphere":  (*translator).spawn, "SpawnBox": (*translator).spawn,
	"SpawnCylinder": (*translator).spawn, "SetMaterialColorServiceState": (*translator).colour,
}

// state writes the content of a state, and reports whether it is equivalent to the script.
func (t *translator) state(x *state) bool {
	name := x.make.called()
	if do := patterns[name]; do != nil {
		return do(t, x)
	}
	t.leave(x.line, fmt.Sprintf("%s of the state %s is not known", cmp.Or(name, "the constructor"),
		x.name), "translate it yourself")
	return false
}

// next returns the state to which the first of the given outcomes leads.
func (x *state) next(outcomes ...string) string {
	for _, o := range outcomes {
		if target := x.targets[o]; target != "" && target != x.name {
			return target
		}
	}
	return ""
}

// transition writes a transition, unless it has no target.
func (t *translator) transition(event, cond, target string) {
	if target == "" {
		return
	}
	if cond != "" {
		cond = fmt.Sprintf(" cond=\"%s\"", escape(cond))
	}
	fmt.Fprintf(&t.out, "    <transition event=\"%s\"%s target=\"%s\"/>\n", escape(event), cond,
		t.id(target))
}

// wait sends a delayed event to the machine itself, on which it continues.
func (t *translator) wait(x *state, attribute string) {
	event := "smach." + t.id(x.name)
	fmt.Fprintf(&t.out,
		"    <onentry><send event=\"%s\" id=\"%s\" %s/></onentry>\n    <onexit>"+
			"<cancel sendid=\"%s\"/></onexit>\n", event, event, attribute, event)
	t.transition(event, "", x.next("invalid", "succeeded"))
}

// longest is the longest time, in s, that a machine may wait.
const longest = 1e8

func (t *translator) delay(x *state) bool {
	v, ok := t.number(x.make.argument(0, "waitfor"), 0)
	if !ok || v < 0 || v > longest {
		t.leave(x.line, "the delay of the state "+x.name+" is not a constant number",
			"write it as a number")
		return false
	}
	t.wait(x, fmt.Sprintf(`delay="%ss"`, strconv.FormatFloat(v, 'f', -1, 64)))
	return true
}

func (t *translator) clock(x *state) bool {
	v, ok := t.number(x.make.argument(0, "target"), 0)
	if !ok || v > longest {
		t.leave(x.line, "the time of the state "+x.name+" is not a constant number",
			"write it as a number")
		return false
	}
	t.wait(x, fmt.Sprintf(`delayexpr="Math.max(0, %s - _x.time) + 's'"`, strconv.FormatFloat(v, 'f',
		-1, 64)))
	return true
}

// pose watches a robot, which may be named before the callback.
func (t *translator) pose(x *state) bool {
	robot, callback := "robot", x.make.argument(0, "callback")
	if name, is := t.text(callback); is {
		robot, callback = name, x.make.argument(1, "callback")
	}
	return t.watch(x, "step", callback, pose(robot))
}

func (t *translator) monitor(x *state) bool {
	name, ok := t.text(x.make.argument(0, "topic"))
	if !ok || strings.ContainsAny(name, " \t\n*") {
		t.leave(x.line, "the topic of the state "+x.name+" is not a constant text",
			"write it as a text")
		return false
	}
	callback := x.make.argument(2, "cond_cb")
	t.leave(x.line, "the topic "+name+" is not a variable of an experiment",
		"write the name of one instead, as participant.variable")
	t.watch(x, "data."+strings.ReplaceAll(strings.TrimPrefix(name, "/"), "/", "."), callback, topic)
	return false
}

// watch continues with the next state once the callback stops being true.
func (t *translator) watch(x *state, event string, callback *expression, from source) bool {
	cond, ok := t.condition(callback, from)
	if !ok {
		t.leave(x.line, "the callback of the state "+x.name+" is not translated",
			"write its condition as cond of a transition for "+event)
		return false
	}
	t.transition(event, "!("+cond+")", x.next("invalid"))
	if target := x.targets["valid"]; target != x.name {
		t.transition(event, cond, target)
	}
	return true
}

// callback translates functions that only log a text.
func (t *translator) callback(x *state) bool {
	f := x.make.argument(0, "cb")
	message, constant := "", false
	if f != nil && f.form == callOf && len(f.args) == 2 {
		message, constant = t.text(f.args[1])
	}
	if !constant || !t.talks[f.called()] || len(x.targets) != 1 {
		t.leave(x.line, "the callback of the state "+x.name+" is not translated",
			"translate it yourself")
		return false
	}
	fmt.Fprintf(&t.out, "    <onentry><log expr=\"%s\"/></onentry>\n", escape(quote(message)))
	for _, target := range x.targets {
		fmt.Fprintf(&t.out, "    <transition target=\"%s\"/>\n", t.id(target))
	}
	return true
}

// act sends an event to the experiment and continues with the next state, or with another one if
// sending is impossible.
func (t *translator) act(x *state, event, data string) bool {
	done := "smach." + t.id(x.name)
	fmt.Fprintf(&t.out,
		"    <onentry>\n      <send type=\"experiment\" event=\"%s\"><content expr=\"(%s)\"/>"+
			"</send>\n      <send event=\"%s\"/>\n    </onentry>\n", event, escape(data), done)
	t.transition("error.communication", "", x.next("aborted"))
	t.transition(done, "", x.next("succeeded"))
	return true
}

func (t *translator) destroy(x *state) bool {
	name, ok := t.text(x.make.argument(0, "model_name"))
	if !ok {
		t.leave(x.line, "the model of the state "+x.name+" is not a constant text",
			"write it as a text")
		return false
	}
	return t.act(x, "destroy", fmt.Sprintf("{name: %s}", quote(name)))
}

func (t *translator) move(x *state) bool {
	return t.put(x, x.make.argument(1, "position"), "move", "")
}

func (t *translator) spawn(x *state) bool {
	return t.put(x, cmp.Or(x.make.argument(2, "position"), x.make.argument(-1, "position")),
		"create", `, kind: "obstacle"`)
}

// put places an actor on the map; heights and turns have no counterpart.
func (t *translator) put(x *state, position *expression, event, more string) bool {
	name, ok := t.text(x.make.argument(0, "model_name"))
	axis := func(k string) float64 {
		v, is := 0.0, false
		if position != nil {
			v, is = t.number(&expression{form: attributeOf, value: k,
				args: []*expression{position}}, 0)
		}
		ok = ok && is
		return v
	}
	a, b := axis("x"), axis("y")
	if !ok {
		t.leave(x.line, "model and position of the state "+x.name+" are not constant",
			"write them as texts and numbers")
		return false
	}
	return t.act(x, event, fmt.Sprintf("{name: %s%s, x: %s, y: %s}", quote(name), more,
		strconv.FormatFloat(a, 'g', -1, 64), strconv.FormatFloat(b, 'g', -1, 64)))
}

// colour has no effect in the simulator, so the machine just continues.
func (t *translator) colour(x *state) bool {
	t.leave(x.line, "the colour that the state "+x.name+" sets has no counterpart", "")
	if target := x.next("succeeded"); target != "" {
		fmt.Fprintf(&t.out, "    <transition target=\"%s\"/>\n", t.id(target))
	}
	return false
}

// quote returns a text as an ECMAScript literal.
func quote(text string) string {
	b, _ := json.Marshal(text) // cannot fail for a text
	return string(b)
}

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder never fails
	return b.String()
}
