package simapi

import (
	"fmt"
	"math"
	"time"

	"gosmp/internal/fault"
	"gosmp/internal/gate"
	"gosmp/timebase"
)

// finite reports the first of several numbers that is not finite.
func finite(fields ...field) error {
	for _, f := range fields {
		if math.IsNaN(f.value) || math.IsInf(f.value, 0) || f.value < f.least || f.value > f.most {
			expected := fmt.Sprintf("%s to %s", number(f.least), number(f.most))
			if f.most == math.MaxFloat64 {
				expected = "a finite number"
				if f.least > -math.MaxFloat64 {
					expected += " of at least " + number(f.least)
				}
			}
			return fault.New(Code_INVALID, fault.At(f.name), number(f.value), expected).
				WithHint(f.hint)
		}
	}
	return nil
}

// field is a number with its limits.
type field struct {
	name        string
	value       float64
	least, most float64
	hint        string
}

func anyNumber(name string, v float64) field {
	return field{name: name, value: v, least: -math.MaxFloat64, most: math.MaxFloat64}
}

// notNegative returns a field that may be 0 but not negative.
func notNegative(name string, v float64) field {
	return field{name: name, value: v, most: math.MaxFloat64}
}

func checkInit(r *Init) error {
	if err := finite(
		field{name: "step_size_ms", value: r.GetStepSizeMs(), least: 1e-3, most: largestMs,
			hint: "set the director's step in milliseconds"},
		field{name: "simulation_step_size_ms", value: r.GetSimulationStepSizeMs(), most: largestMs},
	); err != nil {
		return err
	}
	if own := r.GetSimulationStepSizeMs(); own > 0 { // refuse it before a map is loaded
		if _, _, err := ratioOf(r, "init", own); err != nil {
			return err
		}
	}
	seen := map[string]bool{}
	for k, name := range r.GetParties() {
		if k == gate.MostConnections {
			return fault.New(Code_INVALID, fault.At("parties"),
				fmt.Sprintf("%d names", len(r.GetParties())), fmt.Sprintf("at most %d", k))
		}
		if name == "" || seen[name] {
			return fault.New(Code_INVALID, fault.At(fmt.Sprintf("parties[%d]", k)), quoted(name),
				"a name that is not in the list yet")
		}
		seen[name] = true
	}
	return nil
}

// checkPoint requires x and y, and finite numbers.
func checkPoint(name string, m *Coord6Dof) error {
	c := read(m)
	for a := range c.v {
		if a <= axisY && !c.knows(a) {
			return fault.New(Code_INVALID, fault.At(name+"."+axisNames[a]), "no value",
				"x and y")
		}
		if err := finite(anyNumber(name+"."+axisNames[a], c.v[a])); err != nil {
			return err
		}
	}
	return nil
}

// degrees returns a warning about angles that are probably in degrees.
func degrees(name string, m *Coord6Dof) []string {
	c := read(m)
	for a := axisRoll; a <= axisYaw; a++ {
		if math.Abs(c.v[a]) > 2*math.Pi {
			return []string{
				fmt.Sprintf("%s.%s is %s rad, more than a full turn: are these degrees? (SA08)",
					name, axisNames[a], number(c.v[a]))}
		}
	}
	return nil
}

func checkCreate(r *CreateActor) (info []string, err error) {
	if r.GetActorId() == "" {
		return nil, fault.New(Code_INVALID, fault.At("actor_id"), `""`, "a name")
	}
	if len(r.GetActorId()) > longestName {
		return nil, tooLongName(fault.At("actor_id"), r.GetActorId())
	}
	d := r.GetDescription()
	if d.GetActorType() == "" {
		return nil, fault.New(Code_INVALID, fault.At("description.actor_type"), `""`,
			"car, van, truck, ...")
	}
	err = finite(notNegative("description.length", d.GetLength()), notNegative("description.width",
		d.GetWidth()),
		notNegative("description.height", d.GetHeight()))
	if err != nil {
		return nil, err
	}
	if state := r.GetState(); state != nil {
		if state.GetActorId() != "" && state.GetActorId() != r.GetActorId() {
			return nil, fault.New(Code_INVALID, fault.At("state.actor_id"),
				quoted(state.GetActorId()), quoted(r.GetActorId())+" or nothing")
		}
		if err := checkState(r.GetActorId(), state); err != nil {
			return nil, err
		}
		info = degrees("state.position", state.GetPosition())
	}
	return info, nil
}

// checkTrajectory refuses trajectories that cannot be followed, and returns warnings about
// trajectories that are probably unintended.
func checkTrajectory(r *SetXyTrajectory, now timebase.Time, step timebase.Grid) (info []string,
	err error) {
	start, okStart := FromMs(r.GetStartTimeMs())
	end, okEnd := FromMs(r.GetEndTimeMs())
	count := len(r.GetPolyline())
	found := fmt.Sprintf("%s to %s ms", number(r.GetStartTimeMs()), number(r.GetEndTimeMs()))
	place := fault.At("start_time_ms, end_time_ms")
	switch {
	case !okStart || !okEnd || end < start:
		return nil, fault.New(Code_INVALID, place, found, "an end after the start (SA17)")
	case count == 0:
		return nil, fault.New(Code_INVALID, fault.At("polyline"), "no points", "at least one")
	case end < now:
		return nil, fault.New(Code_INVALID, place, found,
			"a trajectory that does not end before the present, "+inMs(now)+" (SA18)").
			WithHint(likelyUnit(r.GetEndTimeMs(), Ms(now)))
	}
	for k, point := range r.GetPolyline() {
		if checkPoint("", point) != nil { // names only those that need it
			return nil, checkPoint(fmt.Sprintf("polyline[%d]", k), point)
		}
	}
	if span, n := end-start, int64(count); n > 1 && !near(span, step.Point(0, n)) &&
		!near(span, step.Point(0, n-1)) {
		distance := span / timebase.Time(n-1)
		text := fmt.Sprintf(
			"%d points in %s are %s apart, the simulator's step is %s; they are spread over "+
				"the time (SA17)",
			count, inMs(span), inMs(distance), inMs(step.Step()))
		if unit := likelyUnit(Ms(distance), StepMs(step)); unit != "" {
			text += "; " + unit
		}
		info = append(info, text)
	}
	if start < now {
		info = append(info,
			fmt.Sprintf(
				"the trajectory begins %s before the present: points in the past are "+
					"dropped (SA18)", inMs(now-start)))
	}
	return append(info, degrees("polyline", r.GetPolyline()[0])...), nil
}

func checkControls(r *SetDynamicMove, now timebase.Time) (info []string, err error) {
	if len(r.GetControls()) == 0 {
		return nil, fault.New(Code_INVALID, fault.At("controls"), "no controls", "at least one")
	}
	if err := finite(field{name: "start_time_ms", value: r.GetStartTimeMs(), least: -largestMs,
		most: largestMs},
		field{name: "step_ms", value: r.GetStepMs(), most: largestMs}); err != nil {
		return nil, err
	}
	for k, c := range r.GetControls() {
		name := fmt.Sprintf("controls[%d].", k)
		if f, wrong := flawOf(c); wrong {
			return nil, f.in(name)
		}
		if c.GetThrottle() > 0 && c.GetBrake() > 0 && len(info) == 0 {
			info = append(info,
				fmt.Sprintf("%sthrottle and %sbrake are both pressed: the brake wins (SA23)", name,
					name))
		}
	}
	if start, _ := FromMs(r.GetStartTimeMs()); start < now {
		info = append(info, fmt.Sprintf("the controls begin %s before the present (SA18)",
			inMs(now-start)))
	}
	return info, nil
}

// flaw is an invalid value of controls.
type flaw struct{ field, found, expected, hint string }

// in returns the error for a flaw; the prefix identifies the controls.
func (f flaw) in(prefix string) error {
	return fault.New(Code_INVALID, fault.At(prefix+f.field), f.found, f.expected).WithHint(f.hint)
}

// flawOf returns the first invalid value of controls.
func flawOf(c *ActorControls) (f flaw, wrong bool) {
	for _, v := range [...]struct {
		name               string
		value, least, most float64
		hint               string
	}{{"throttle", c.GetThrottle(), 0, 1, pedal}, {"brake", c.GetBrake(), 0, 1, pedal},
		{"steering_wheel_angle", c.GetSteeringWheelAngle(), -50, 50, "it is in rad"}} {
		if !(v.value >= v.least && v.value <= v.most) {
			return flaw{v.name, number(v.value), number(v.least) + " to " + number(v.most),
				v.hint}, true
		}
	}
	if i := c.GetIndicator(); i < 0 || i > Indicator_INDICATOR_WARNING {
		return flaw{"indicator", fmt.Sprint(int32(i)), "0 to 4", ""}, true
	}
	const lamps = 1 | 2 | 4 | 8 | 16
	if c.GetLights() > lamps {
		return flaw{"lights", fmt.Sprint(c.GetLights()), "a sum of 1, 2, 4, 8 and 16", ""}, true
	}
	return flaw{}, false
}

const pedal = "a pedal is 0 when it is released and 1 when it is pressed down (SA23)"

func checkWeather(r *SetWeather) error {
	return finite(notNegative("temperature", r.GetTemperature()),
		notNegative("atmospheric_pressure", r.GetAtmosphericPressure()),
		field{name: "relative_humidity", value: r.GetRelativeHumidity(), most: 1},
		field{name: "cloud_cover", value: r.GetCloudCover(), most: 1},
		notNegative("rain", r.GetRain()), notNegative("snow", r.GetSnow()),
		notNegative("visibility", r.GetVisibility()),
		notNegative("wind_speed", r.GetWindSpeed()), anyNumber("wind_yaw", r.GetWindYaw()))
}

func checkTimeOfDay(r *SetTimeOfDay) error {
	if v := r.GetSecondsSinceMidnight(); !(v >= 0 && v < 86400) {
		return fault.New(Code_INVALID, fault.At("seconds_since_midnight"), number(v),
			"at least 0 and below 86400")
	}
	if r.GetDate() == "" {
		return nil
	}
	if _, err := time.Parse(time.DateOnly, r.GetDate()); err != nil {
		return fault.New(Code_INVALID, fault.At("date"), fmt.Sprintf("%q", r.GetDate()),
			"one such as 2026-05-17")
	}
	return nil
}

func checkMessages(list []*Message) error {
	for k, m := range list {
		if m.GetTopic() == "" || m.GetType() == "" {
			return fault.New(Code_INVALID, fault.At(fmt.Sprintf("message[%d]", k)),
				fmt.Sprintf("topic %q, type %q", m.GetTopic(), m.GetType()), "both")
		}
	}
	return nil
}
