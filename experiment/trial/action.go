package trial

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gosmp/experiment/scxml"
	"gosmp/internal/fault"
	"gosmp/mocksim"
	"gosmp/timebase"
)

// action is the data of an event with which a machine acts; each event uses some of the fields.
type action struct {
	Name     string   `json:"name"`
	Kind     string   `json:"kind"`
	X        *float64 `json:"x"`
	Y        *float64 `json:"y"`
	Yaw      *float64 `json:"yaw"`
	Road     string   `json:"road"`
	Lane     int      `json:"lane"`
	S        float64  `json:"s"`
	Speed    *float64 `json:"speed"`
	Accel    float64  `json:"accel"`
	Decel    float64  `json:"decel"`
	Throttle float64  `json:"throttle"`
	Brake    float64  `json:"brake"`
	Steering float64  `json:"steering"`
	Radius   float64  `json:"radius"`
	Variable string   `json:"variable"`
	Value    *float64 `json:"value"`
	Above    *float64 `json:"above"`
	Below    *float64 `json:"below"`
	Text     string   `json:"text"`
	Reason   string   `json:"reason"`
	Seconds  float64  `json:"seconds"`
	Lanes    int      `json:"lanes"`
	Duration float64  `json:"duration"`
	Distance float64  `json:"distance"`
	Teleport bool     `json:"teleport"`
	Type     string   `json:"type"`
	Points   []struct {
		Time, X, Y, Z float64
		Yaw           *float64
	} `json:"points"`
	// machine that sends the event, and the place of the element that does
	sender, place string
}

// actions holds the actions of machines by the names of their events.
var actions = map[string]func(*Trial, *action) error{
	"create": (*Trial).create, "destroy": (*Trial).destroy, "move": (*Trial).move,
	"drive": (*Trial).drive, "controls": (*Trial).controls, "release": (*Trial).release,
	"command": (*Trial).command, "set": (*Trial).set, "log": (*Trial).note, "stop": (*Trial).end,
	"extend": (*Trial).extend, "watch.zone": (*Trial).watchZone,
	"watch.signal": (*Trial).watchSignal,
}

// act carries out an event of a machine. An error raises error.communication in the machine.
func (t *Trial) act(m scxml.Message) error {
	if name, is := strings.CutPrefix(m.Event.Name, bridgeEvent); is {
		return t.emit(name, m.Event.Data)
	}
	do := actions[m.Event.Name]
	if do == nil {
		return impossible(m.Event.Name, "an event unknown to the experiment",
			"create, destroy, move, drive, controls, release, command, set, log, stop, extend, "+
				"watch.zone, watch.signal or bridge.NAME")
	}
	var a action
	if !m.Event.Data.IsUndefined() {
		text := []byte(m.Event.Data.Text())
		if name := null(text); name != "" {
			return impossible(m.Event.Name, name+", which is NaN, infinite or null",
				"a number, or no "+name)
		}
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&a); err != nil {
			return impossible(m.Event.Name, "data that cannot be used: "+err.Error(),
				"an object with the fields of docs/EXPERIMENTS.md")
		}
	}
	if err := a.sound(m.Event.Name); err != nil {
		return err
	}
	a.sender, a.place = t.placeOf(m)
	return do(t, &a)
}

// texts lists the members of an action that are not numbers.
var texts = []string{"name", "kind", "road", "variable", "text", "reason", "teleport", "type"}

// null returns the name of the first number of an object that is null, or "". JSON has no other
// value for NaN, which would count as absent, and mostly as 0.
func null(object []byte) string {
	if !bytes.Contains(object, []byte("null")) {
		return ""
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return "" // decoding it reports this
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		value := bytes.TrimSpace(members[name])
		if string(value) == "null" && !slices.Contains(texts, name) {
			return name
		}
		var list []json.RawMessage
		if json.Unmarshal(value, &list) != nil {
			continue
		}
		for k, x := range list {
			if inner := null(x); inner != "" {
				return fmt.Sprintf("%s[%d].%s", name, k, inner)
			}
		}
	}
	return ""
}

func impossible(event, found, expected string) error {
	return fault.New(ErrAction, fault.At("event "+event), found, expected)
}

func (t *Trial) simulated(event string) (*world, error) {
	if t.world == nil {
		return nil, impossible(event, "an experiment without a map",
			"an environmentModel that names a map (.xodr)")
	}
	t.world.changed = true
	return t.world, nil
}

// orZero returns a number of an event, or 0 if the event lacks it.
func orZero(x *float64) float64 {
	if x == nil {
		return 0
	}
	return *x
}

// start returns the pose and lane at which an actor is placed.
func (a *action) start(event string) (mocksim.Start, error) {
	switch {
	case a.X != nil && a.Y != nil:
		s := mocksim.AtPosition(*a.X, *a.Y)
		if a.Yaw != nil {
			s = s.Facing(*a.Yaw)
		}
		return s.WithSpeed(orZero(a.Speed)), nil
	case a.Road != "":
		return mocksim.OnRoad(a.Road, a.Lane, a.S).WithSpeed(orZero(a.Speed)), nil
	}
	return mocksim.Start{}, impossible(event, "no place", "x and y, or road, lane and s")
}

func (t *Trial) create(a *action) error {
	w, err := t.simulated("create")
	if err != nil {
		return err
	}
	kind := mocksim.Car
	if a.Kind != "" {
		if kind, err = mocksim.ParseKind(a.Kind); err != nil {
			return err
		}
	}
	start, err := a.start("create")
	if err != nil {
		return err
	}
	return w.Create(mocksim.Actor{Name: a.Name, Kind: kind, Start: start})
}

func (t *Trial) destroy(a *action) error {
	w, err := t.simulated("destroy")
	if err != nil {
		return err
	}
	if err := t.free("destroy", a.Name); err != nil {
		return err
	}
	delete(w.drivers, a.Name)
	return w.Destroy(a.Name)
}

func (t *Trial) move(a *action) error {
	w, err := t.simulated("move")
	if err != nil {
		return err
	}
	if err := t.free("move", a.Name); err != nil {
		return err
	}
	start, err := a.start("move")
	if err != nil {
		return err
	}
	d := w.desk(a.Name)
	v, err := w.Actor(a.Name)
	driven := err == nil && d != nil && d.driver != nil && v.Owned()
	if err := w.Move(a.Name, start); err != nil || !driven {
		return err
	}
	return d.take() // its driver continues from there
}

// release returns a vehicle to the participant that drives it.
func (t *Trial) release(a *action) error {
	w, err := t.simulated("release")
	if err != nil {
		return err
	}
	d := w.desk(a.Name)
	if !d.driven() {
		return impossible("release", fmt.Sprintf("%q", a.Name), "a vehicle that an FMU drives")
	}
	delete(w.drivers, a.Name)
	return d.take()
}

// drive lets an actor drive along its lane at a speed.
func (t *Trial) drive(a *action) error {
	w, err := t.simulated("drive")
	if err != nil {
		return err
	}
	if err := t.free("drive", a.Name); err != nil {
		return err
	}
	c := a.driver().controller()
	if err := w.SetController(a.Name, c); err != nil {
		return err
	}
	w.drivers[a.Name] = c
	w.yield(a.Name)
	return nil
}

func (t *Trial) controls(a *action) error {
	w, err := t.simulated("controls")
	if err != nil {
		return err
	}
	if err := t.free("controls", a.Name); err != nil {
		return err
	}
	delete(w.drivers, a.Name)
	w.yield(a.Name)
	_, err = w.SetControls(a.Name, mocksim.Drive{Start: w.Time(),
		Controls: []mocksim.Controls{a.pedals()}})
	return err
}

// set sets an input that the chart of a machine names.
func (t *Trial) set(a *action) error {
	c := t.drives[a.Variable]
	if c == nil || a.Value == nil {
		return impossible("set", fmt.Sprintf("variable %q", a.Variable),
			"a value, and an input that is written out in the chart and not connected: "+
				fmt.Sprint(sorted(t.drives)))
	}
	if c.Variable.Kind.IsFloat() {
		c.SetFloat(0, *a.Value)
	} else {
		c.SetCell(0, uint64(int64(*a.Value)))
	}
	return nil
}

func (t *Trial) note(a *action) error {
	t.log("log: " + a.Text)
	return nil
}

func (t *Trial) end(a *action) error {
	t.endedBy = "stop"
	if a.Reason != "" {
		t.endedBy += ": " + a.Reason
	}
	return nil
}

func (t *Trial) extend(a *action) error {
	d, err := timebase.FromSeconds(a.Seconds)
	if err != nil {
		return err
	}
	t.Extend(d)
	return nil
}
