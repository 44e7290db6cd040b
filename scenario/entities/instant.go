package entities

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/mocksim"
	"gosmp/mocksim/seat"
	"gosmp/scenario"
	"gosmp/scenario/position"
	"gosmp/scenario/storyboard"
	"gosmp/timebase"
)

// teleport is TeleportAction and AddEntityAction.
type teleport struct {
	common
	to    *position.Position
	enter bool
}

func newTeleport(c common) (storyboard.Action, error) {
	p, err := c.w.reader.Position(c.e.Child("Position"))
	return &teleport{common: c, to: p}, err
}

func newAddEntity(c common) (storyboard.Action, error) {
	p, err := c.w.reader.Position(c.e.Child("Position"))
	return &teleport{common: c, to: p, enter: true}, err
}

// Start moves the entity to another place. Running actions continue there; an entity that already
// exists is not added again.
func (a *teleport) Start(_ float64, report func(storyboard.Note)) error {
	a.w.report, a.done = report, true
	if a.enter {
		if a.b.exists {
			return nil
		}
		before := a.b.at
		if a.w.Enter(a.b.number); a.b.left {
			a.b.at = before // the new place may be relative to the one where it was deleted
		}
	}
	var at position.Place
	if a.b.driven && a.b.orders == nil {
		a.w.tell(a.b, "controller", "a teleport of an entity that its controller moves is left out")
		return nil
	}
	if err := a.to.Resolve(a.w, &at); err != nil {
		return err
	}
	if a.b.driven {
		a.b.order(both, seat.Action{Order: seat.OrderTeleport, Place: a.b.posed(&at)})
		return nil
	}
	a.w.put(a.b, &at)
	return nil
}

// deleteEntity is DeleteEntityAction.
type deleteEntity struct{ common }

func newDeleteEntity(c common) (storyboard.Action, error) { return &deleteEntity{c}, nil }

// Start removes the entity.
func (a *deleteEntity) Start(_ float64, report func(storyboard.Note)) error {
	a.w.report, a.done = report, true
	a.w.leave(a.b)
	return nil
}

// visibility is VisibilityAction.
type visibility struct{ common }

// newVisibility refuses entities that should be visible to only some sensors.
func newVisibility(c common) (storyboard.Action, error) {
	if x := c.e.Child("SensorReferenceSet"); x != nil {
		return nil, fault.New(storyboard.ErrUnsupported, x.Place(), "visibility for some sensors",
			"visibility for all of them").WithHint("drop SensorReferenceSet")
	}
	return &visibility{c}, nil
}

// Start shows the entity to sensors, or hides it from them.
func (a *visibility) Start(_ float64, report func(storyboard.Note)) error {
	a.w.report, a.done = report, true
	a.b.look.Hidden = !position.True(a.e, "sensors", true)
	return nil
}

// environment is EnvironmentAction.
type environment struct {
	common
	parts *scenario.Element
	noon  time.Time
	timed bool
}

func newEnvironment(c common) (storyboard.Action, error) {
	a := &environment{common: c, parts: c.e.Child("Environment")}
	if r := c.e.Child("CatalogReference"); a.parts == nil && r != nil {
		a.parts = r.Entry
	}
	if a.parts == nil {
		return nil, fault.New(storyboard.ErrUnsupported, c.e.Place(), "no environment",
			"an Environment")
	}
	if t := a.parts.Child("TimeOfDay"); t != nil {
		var err error
		if a.noon, err = parseTime(t.Value("dateTime")); err != nil {
			return nil, fault.New(storyboard.ErrUnsupported, t.PlaceOf("dateTime"),
				t.Value("dateTime"), "a date with a time")
		}
		a.timed = true
	}
	v := a.w.sim.Weather()
	a.read(&v)
	limit(&v)
	if err := a.w.sim.SetWeather(v); err != nil { // weather that messages cannot express
		return nil, fault.New(storyboard.ErrUnsupported, a.parts.Place(), err.Error(),
			"weather within the limits of the simulator")
	}
	return a, a.w.sim.SetWeather(mocksim.FairWeather())
}

// parseTime reads a dateTime of XML Schema, with or without a time zone.
func parseTime(text string) (time.Time, error) {
	text = strings.TrimSpace(text)
	for _, layout := range [...]string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999",
		"2006-01-02T15:04:05.999999999-0700"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("no date: %q", text)
}

// cover maps a cloudState, or a fractionalCloudCover in eighths, to the covered share of the sky.
var cover = map[string]float64{"free": 0, "cloudy": 0.5, "overcast": 1, "rainy": 1, "skyOff": 0}

// read copies the parts that the action states.
func (a *environment) read(v *mocksim.Weather) {
	e := a.parts.Child("Weather")
	v.Temperature = position.Number(e, "temperature", v.Temperature)
	v.Pressure = position.Number(e, "atmosphericPressure", v.Pressure)
	if c, ok := cover[e.Value("cloudState")]; ok {
		v.Cloudiness = c
	}
	if text := e.Value("fractionalCloudCover"); strings.HasSuffix(text, "Oktas") {
		words := []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight",
			"nine"}
		for k, word := range words {
			if strings.HasPrefix(text, word) {
				v.Cloudiness = min(float64(k)/8, 1)
			}
		}
	}
	if f := e.Child("Fog"); f != nil {
		v.Visibility = min(position.Number(f, "visualRange", v.Visibility), 1e6)
	}
	if p := e.Child("Precipitation"); p != nil {
		amount := position.Number(p, "precipitationIntensity",
			position.Number(p, "intensity", v.Precipitation+v.Snow))
		v.Precipitation, v.Snow = 0, 0
		switch p.Value("precipitationType") {
		case "rain":
			v.Precipitation = amount
		case "snow":
			v.Snow = amount
		}
	}
	if x := e.Child("Wind"); x != nil {
		v.WindSpeed = position.Number(x, "speed", v.WindSpeed)
		v.WindYaw = frames.WrapAngle(position.Number(x, "direction", v.WindYaw))
	}
	if x := e.Child("Sun"); x != nil {
		v.Sun = mocksim.Sun{Known: true, Azimuth: position.Number(x, "azimuth", 0),
			Elevation:   position.Number(x, "elevation", 0),
			Illuminance: position.Number(x, "illuminance", position.Number(x, "intensity", 0))}
	}
}

// unseen lists the parts of an environment that no message can express.
func (a *environment) unseen() (list []string) {
	for _, x := range [...]struct {
		found bool
		what  string
	}{
		{a.parts.Child("RoadCondition") != nil, "the condition of the road"},
		{a.parts.Path("Weather", "DomeImage") != nil, "the image of the sky"},
		{a.parts.Path("Weather", "Fog", "BoundingBox") != nil, "the place of the fog"},
	} {
		if x.found {
			list = append(list, x.what)
		}
	}
	return list
}

// expressible lists the ranges of weather values that messages can express.
var expressible = [...]struct {
	name, unit string
	of         func(v *mocksim.Weather) *float64
	low, high  float64
}{
	{"pressure", "Pa", func(v *mocksim.Weather) *float64 { return &v.Pressure }, 80_000, 120_000},
	{"temperature", "K", func(v *mocksim.Weather) *float64 { return &v.Temperature }, 170, 340},
}

// limit clamps values to the ranges of messages, and reports the values that were outside.
func limit(v *mocksim.Weather) (notes []string) {
	for _, x := range &expressible {
		value := x.of(v)
		if was := *value; was < x.low || was > x.high {
			*value = min(max(was, x.low), x.high)
			notes = append(notes,
				fmt.Sprintf("%s of the weather %g %s to %g %s, because OSI has no others",
					x.name, was, x.unit, *value, x.unit))
		}
	}
	return notes
}

// Start changes the weather and the time of day.
func (a *environment) Start(now float64, report func(storyboard.Note)) error {
	a.w.report, a.done = report, true
	v := a.w.sim.Weather()
	a.read(&v)
	for _, text := range limit(&v) {
		report(storyboard.Note{Time: now, Entity: storyboard.NoEntity, Other: storyboard.NoEntity,
			Kind: "limited", Text: text})
	}
	if err := a.w.sim.SetWeather(v); err != nil {
		return fault.New(storyboard.ErrUnsupported, a.parts.Place(), err.Error(),
			"weather within the limits of the simulator")
	}
	for _, what := range a.unseen() {
		report(storyboard.Note{Time: now, Entity: storyboard.NoEntity, Other: storyboard.NoEntity,
			Kind: "not shown", Text: what + ", which is in no message"})
	}
	if !a.timed {
		return nil
	}
	t := a.noon
	since := time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute +
		time.Duration(t.Second())*time.Second + time.Duration(t.Nanosecond())
	if err := a.w.sim.SetTimeOfDay(timebase.Time(since)); err != nil {
		return err
	}
	return a.dated()
}

// dated sets the date. Messages count days from 1970: earlier dates have only a time of day.
func (a *environment) dated() error {
	const secondsPerDay = 24 * 3600
	days := time.Date(a.noon.Year(), a.noon.Month(), a.noon.Day(), 0, 0, 0, 0, time.UTC).Unix() /
		secondsPerDay
	if days < 0 {
		return nil
	}
	return a.w.sim.SetDate(days)
}

// controllers is AssignControllerAction or ActivateControllerAction. Without a system under test,
// the storyboard keeps moving the entity.
type controllers struct {
	common
	text    string
	decides storyboard.Domain // motions whose owner changes
	moves   storyboard.Domain // motions that the controller receives
}

func newAssignController(c common) (storyboard.Action, error) {
	x := c.e
	if o := c.e.Child("ObjectController"); o != nil {
		x = o
	}
	var name string
	if names := namesOf(x); len(names) > 0 {
		name = names[0]
	}
	a := &controllers{common: c, text: "controller " + strconv.Quote(name) + " is assigned"}
	a.domains("activateLateral", "activateLongitudinal")
	return a, nil
}

// namesOf returns the names of a controller: of an ObjectController, its Controller, and its
// catalog entry.
func namesOf(e *scenario.Element) (names []string) {
	r := e.Child("CatalogReference")
	var entry *scenario.Element
	if r != nil {
		entry = r.Entry
	}
	for _, name := range [...]string{e.Value("name"), e.Child("Controller").Value("name"),
		entry.Value("name"), r.Value("entryName")} {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// controllerNames returns the names of all controllers of a scenario.
func controllerNames(root *scenario.Element) (names []string) {
	root.Walk(func(e *scenario.Element) bool {
		if e.Type == "ObjectController" || e.Type == "AssignControllerAction" {
			names = append(names, namesOf(e)...)
		}
		return true
	})
	return names
}

// chosen returns the name that notes use for the controller of an ActivateControllerAction.
func (c *common) chosen() string {
	name := cmp.Or(c.e.Value("objectControllerRef"), c.e.Value("controllerRef"))
	switch {
	case name == "":
		return "controller"
	case !slices.Contains(c.w.controllers, name):
		return "controller " + strconv.Quote(name) + ", which the scenario does not have,"
	}
	return "controller " + strconv.Quote(name)
}

func newActivateController(c common) (storyboard.Action, error) {
	var domains []string
	for _, name := range [...]string{"lateral", "longitudinal", "lighting", "animation"} {
		if position.True(c.e, name, false) {
			domains = append(domains, name)
		}
	}
	text := "controllers are deactivated"
	if len(domains) > 0 {
		text = c.chosen() + " takes over: " + strings.Join(domains, ", ")
	}
	a := &controllers{common: c, text: text}
	a.domains("lateral", "longitudinal")
	return a, nil
}

// domains records which motions a controller takes over or gives up.
func (a *controllers) domains(lateral, longitudinal string) {
	for _, x := range [...]struct {
		name   string
		domain storyboard.Domain
	}{{lateral, storyboard.Lateral}, {longitudinal, storyboard.Longitudinal}} {
		if !a.e.Has(x.name) {
			continue
		}
		a.decides |= x.domain
		if position.True(a.e, x.name, false) {
			a.moves |= x.domain
		}
	}
	a.b.activated = a.b.activated || a.moves != 0
}

// Start hands motions of the entity to its driver, or reports what a controller would do.
func (a *controllers) Start(_ float64, report func(storyboard.Note)) error {
	a.w.report, a.done = report, true
	switch {
	case a.w.options.DisableControllers:
	case a.b.driver == nil:
		a.w.tell(a.b, "controller", a.text+"; without a system under test the storyboard continues")
	case a.decides != 0:
		a.w.tell(a.b, "controller", a.text)
		return a.w.grant(a.b, a.b.granted&^a.decides|a.moves)
	}
	return nil
}
