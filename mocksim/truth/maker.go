package truth

import (
	"math"

	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/internal/portable"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/proto/field"
	"gosmp/proto/osi"
	"gosmp/proto/wire"
)

// Static selects the messages that contain the static content.
type Static uint8

// The choices.
const (
	// FirstOnly: the first message, and the first one after [Maker.Restart].
	FirstOnly Static = iota
	// Every message; a Range keeps it small.
	Every
	// Never: it is only available from [Maker.Static].
	Never
)

// Options define the content of the messages.
type Options struct {
	Host     string      // name of the host vehicle; it must exist when messages are created
	SensorID uint64      // [10000]
	Mounting frames.Pose // of the sensor in the frame of the host's rear axle
	Static   Static
	Range    float64 // m around the host vehicle; 0: everything
	Country  uint32  // ISO 3166-1 numeric code; 0: none
	// Looks holds the properties of actors in messages other than their motion, by name.
	Looks map[string]*Look
}

// Maker creates messages about a world.
type Maker struct {
	w       *mocksim.World
	o       Options
	s       *static
	full    spliced // all of the map
	part    spliced // the part around the host
	nothing spliced
	center  frames.Vector
	sent    bool
	geo     opendrive.Projection
	buffers [2][]byte // used alternately, so that a message is valid until the second one after it
	turn    int
}

// spliced holds the static fields of a GroundTruth, in pieces that go between the changing fields.
type spliced struct {
	// Fields 4, 6, 8 to 10, 13 to 15, 17 to 20.
	objects, signs, lanes, map1, logical []byte
	places                               map[uint64]encodedLane // the Lanes in lanes, by id
}

// New prepares messages. It reads the whole map once.
func New(w *mocksim.World, o Options) (*Maker, error) {
	if o.Range < 0 || math.IsNaN(o.Range) {
		return nil, fault.New(mocksim.ErrValue, fault.At("range"), "a negative range",
			"0 or more metres")
	}
	if !o.Mounting.Finite() {
		return nil, fault.New(mocksim.ErrValue, fault.At("mounting"), "a number that is not finite",
			"a pose")
	}
	if o.SensorID == 0 {
		o.SensorID = 10000
	}
	m := &Maker{w: w, o: o, s: newStatic(w.Map())}
	m.describe()
	m.full = splice(m.s.truth)
	if p, err := w.Map().Header.Projection(); err == nil {
		m.geo = p
	}
	return m, nil
}

// For prepares messages for another host vehicle in the same world. It shares the map content
// instead of reading the map again. Static and Country stay the same.
func (m *Maker) For(host string, sensorID uint64, reach float64) *Maker {
	other := &Maker{w: m.w, o: m.o, s: m.s, full: m.full, geo: m.geo}
	other.o.Host, other.o.Range = host, reach
	if sensorID != 0 {
		other.o.SensorID = sensorID
	}
	return other
}

// Restart puts the static content into the next message again.
func (m *Maker) Restart() { m.sent = false }

// Memory is the state that the content of the next message depends on, other than the world.
type Memory struct {
	Sent   bool          // the static content was in a message
	Center frames.Vector // the center of the part of the map in messages
}

// Memory returns the current memory.
func (m *Maker) Memory() Memory { return Memory{m.sent, m.center} }

// Recall returns to an earlier memory, for example when the world is restored.
func (m *Maker) Recall(to Memory) {
	if m.sent, m.center = to.Sent, to.Center; m.sent && m.o.Range > 0 {
		m.part = splice(m.s.around(m.center.X, m.center.Y, m.reach()))
	}
}

// reach returns the radius of a part of the map. The part must contain the lanes of all actors in
// range, no matter where the host moves before the next part is built.
func (m *Maker) reach() float64 { return float64(m.o.Range*1.25) + longestActor }

// Static returns a GroundTruth with only the static content.
func (m *Maker) Static() []byte {
	b := wireVersion(nil, field.GroundTruthVersion)
	f := &m.full
	for _, part := range [...][]byte{f.objects, f.signs, f.lanes, f.map1, f.logical} {
		b = append(b, part...)
	}
	return b
}

// GroundTruth returns the current ground truth. The bytes are valid until the second message after
// it.
func (m *Maker) GroundTruth() ([]byte, error) {
	host, err := m.host()
	if err != nil {
		return nil, err
	}
	b := m.next()
	b = m.appendTruth(b, host)
	m.buffers[m.turn] = b
	return b, nil
}

// host returns the host vehicle.
func (m *Maker) host() (mocksim.View, error) {
	v, err := m.w.Actor(m.o.Host)
	if err == nil && !v.Kind().Vehicle() {
		err = fault.New(mocksim.ErrValue, fault.At("host "+m.o.Host), "a "+v.Kind().String(),
			"a vehicle")
	}
	return v, err
}

func (m *Maker) next() []byte {
	m.turn = 1 - m.turn
	return m.buffers[m.turn][:0]
}

// SensorView returns the message for a sensor of the host vehicle. The bytes are valid until the
// second message after it.
func (m *Maker) SensorView() ([]byte, error) {
	host, err := m.host()
	if err != nil {
		return nil, err
	}
	seconds, nanos := m.w.Time().Split()
	b := wireVersion(m.next(), field.SensorViewVersion)
	b = wire.AppendTimestamp(b, field.SensorViewTimestamp, seconds, nanos)
	b = wire.AppendIdentifier(b, field.SensorViewSensorId, m.o.SensorID)
	p, o := m.o.Mounting.Position, m.o.Mounting.Orientation
	b = wire.AppendMountingPosition(b, field.SensorViewMountingPosition, wire.Vector3d(p),
		wire.Orientation3d(o))
	b, at := wire.Begin(b, field.SensorViewHostVehicleData)
	b = wire.End(m.appendHost(b, host), at)
	b, at = wire.Begin(b, field.SensorViewGlobalGroundTruth)
	b = wire.End(m.appendTruth(b, host), at)
	b = wire.AppendIdentifier(b, field.SensorViewHostVehicleId, host.ID())
	m.buffers[m.turn] = b
	return b, nil
}

// HostVehicleData returns the host vehicle's measurements of itself, without errors. The bytes are
// valid until the second message after it.
func (m *Maker) HostVehicleData() ([]byte, error) {
	host, err := m.host()
	if err != nil {
		return nil, err
	}
	b := m.appendHost(m.next(), host)
	m.buffers[m.turn] = b
	return b, nil
}

// TrafficCommand returns a message to the host vehicle with actions, which are passed as encoded
// fields of the message. The bytes are valid until the second message after it.
func (m *Maker) TrafficCommand(actions []byte) ([]byte, error) {
	host, err := m.host()
	if err != nil {
		return nil, err
	}
	seconds, nanos := m.w.Time().Split()
	b := wireVersion(m.next(), field.TrafficCommandVersion)
	b = wire.AppendTimestamp(b, field.TrafficCommandTimestamp, seconds, nanos)
	b = wire.AppendIdentifier(b, field.TrafficCommandTrafficParticipantId, host.ID())
	b = append(b, actions...)
	m.buffers[m.turn] = b
	return b, nil
}

// Configuration returns the configuration of the SensorViews.
func (m *Maker) Configuration() []byte {
	b := wireVersion(nil, field.SensorViewConfigurationVersion)
	b = wire.AppendIdentifier(b, field.SensorViewConfigurationSensorId, m.o.SensorID)
	p, o := m.o.Mounting.Position, m.o.Mounting.Orientation
	b = wire.AppendMountingPosition(b, field.SensorViewConfigurationMountingPosition,
		wire.Vector3d(p), wire.Orientation3d(o))
	b = wire.AppendDouble(b, field.SensorViewConfigurationFieldOfViewHorizontal, 2*math.Pi)
	b = wire.AppendDouble(b, field.SensorViewConfigurationFieldOfViewVertical, math.Pi)
	if m.o.Range > 0 {
		b = wire.AppendDouble(b, field.SensorViewConfigurationRange, m.o.Range)
	}
	return b
}

func wireVersion(b []byte, num wire.Number) []byte {
	return wire.AppendInterfaceVersion(b, num, osi.Major, osi.Minor, osi.Patch)
}

// content returns the static content of the current message.
func (m *Maker) content(host *mocksim.State) *spliced {
	switch {
	case m.o.Static == Never || m.o.Static == FirstOnly && m.sent:
		return &m.nothing
	case m.o.Range == 0:
		m.sent = true
		return &m.full
	}
	moved := host.Position.Sub(m.center)
	if !m.sent || portable.Hypot(moved.X, moved.Y) > m.o.Range/4 {
		m.center = host.Position
		m.part = splice(m.s.around(m.center.X, m.center.Y, m.reach()))
		m.sent = true
	}
	return &m.part
}

// longestActor is the largest distance of an actor's lanes from its middle, in m.
const longestActor = 30

func (m *Maker) appendTruth(b []byte, host mocksim.View) []byte {
	seconds, nanos := m.w.Time().Split()
	state := host.State()
	f := m.content(&state)
	b = wireVersion(b, field.GroundTruthVersion)
	b = wire.AppendTimestamp(b, field.GroundTruthTimestamp, seconds, nanos)
	b = wire.AppendIdentifier(b, field.GroundTruthHostVehicleId, host.ID())
	b = append(b, f.objects...)
	for k := range m.w.Len() {
		if v := m.w.At(k); v.Kind() == mocksim.Static && m.near(v, &state) {
			b = m.appendObstacle(b, v)
		}
	}
	for k := range m.w.Len() {
		if v := m.w.At(k); v.Kind() != mocksim.Static && m.shows(v, host, &state) {
			b = m.appendMoving(b, v, host, &state)
		}
	}
	b = append(b, f.signs...)
	b = m.appendLights(b, &state)
	if len(f.lanes) > 0 {
		on := m.hostLanes(host, &state)
		b = f.appendLanes(b, &on)
	}
	b = m.appendWeather(b)
	b = append(b, f.map1...)
	return append(b, f.logical...)
}

// shows reports whether messages contain an actor.
func (m *Maker) shows(v, host mocksim.View, state *mocksim.State) bool {
	return v.ID() == host.ID() || m.near(v, state)
}

// near reports whether an actor is within the range and not hidden.
func (m *Maker) near(v mocksim.View, host *mocksim.State) bool {
	if l := m.o.Looks[v.Name()]; l != nil && l.Hidden {
		return false
	}
	if m.o.Range == 0 {
		return true
	}
	s := v.State()
	dx, dy := s.Position.X-host.Position.X, s.Position.Y-host.Position.Y
	return float64(dx*dx)+float64(dy*dy) <= m.o.Range*m.o.Range
}

// appendLights appends the bulbs of the traffic lights in range.
func (m *Maker) appendLights(b []byte, host *mocksim.State) []byte {
	for k := range m.s.lights {
		l := &m.s.lights[k]
		if dx, dy := l.at.X-host.Position.X, l.at.Y-host.Position.Y; m.o.Range > 0 &&
			float64(dx*dx)+float64(dy*dy) > m.o.Range*m.o.Range {
			continue
		}
		colour := m.w.LightOf(l.signal)
		for i, lit := range [...]mocksim.Light{mocksim.LightRed, mocksim.LightYellow,
			mocksim.LightGreen} {
			if colour == lit {
				b = append(b, l.on[i]...)
			} else {
				b = append(b, l.off[i]...)
			}
		}
	}
	return b
}

func (m *Maker) appendWeather(b []byte) []byte {
	const noPrecipitation, clearAir = 2, 2
	w := m.w.Weather()
	daytime := m.w.TimeOfDay()
	b, at := wire.Begin(b, field.GroundTruthEnvironmentalConditions)
	b = wire.AppendInt32(b, field.EnvironmentalConditionsAmbientIllumination,
		illumination(daytime.Seconds(), &w.Sun))
	b, inner := wire.Begin(b, field.EnvironmentalConditionsTimeOfDay)
	seconds, _ := daytime.Split()
	b = wire.AppendUint64(b, field.EnvironmentalConditionsTimeOfDaySecondsSinceMidnight,
		uint64(seconds))
	b = wire.End(b, inner)
	b = wire.AppendDouble(b, field.EnvironmentalConditionsAtmosphericPressure, w.Pressure)
	b = wire.AppendDouble(b, field.EnvironmentalConditionsTemperature, w.Temperature)
	b = wire.AppendDouble(b, field.EnvironmentalConditionsRelativeHumidity, w.Humidity)
	b = wire.AppendInt32(b, field.EnvironmentalConditionsPrecipitation, noPrecipitation+
		grade(w.Precipitation+w.Snow, rainLimits[:]))
	b = wire.AppendInt32(b, field.EnvironmentalConditionsFog, clearAir+grade(-w.Visibility,
		fogLimits[:]))
	if days, dated := m.w.Date(); dated {
		b = wire.AppendInt64(b, field.EnvironmentalConditionsUnixTimestamp,
			days*secondsPerDay+seconds)
	}
	if w.Cloudiness > 0 {
		const none, eighths = 2, 8
		b, inner = wire.Begin(b, field.EnvironmentalConditionsClouds)
		b = wire.AppendInt32(b, field.EnvironmentalConditionsCloudLayerFractionalCloudCover,
			none+int32(math.Round(w.Cloudiness*eighths)))
		b = wire.End(b, inner)
	}
	if w.WindSpeed > 0 {
		b, inner = wire.Begin(b, field.EnvironmentalConditionsWind)
		b = wire.AppendDouble(b, field.EnvironmentalConditionsWindOriginDirection,
			frames.WrapAngle(w.WindYaw+math.Pi))
		b = wire.AppendDouble(b, field.EnvironmentalConditionsWindSpeed, w.WindSpeed)
		b = wire.End(b, inner)
	}
	if w.Sun.Known {
		b, inner = wire.Begin(b, field.EnvironmentalConditionsSun)
		b = wire.AppendDouble(b, field.EnvironmentalConditionsSunAzimuth, w.Sun.Azimuth)
		b = wire.AppendDouble(b, field.EnvironmentalConditionsSunElevation, w.Sun.Elevation)
		b = wire.AppendDouble(b, field.EnvironmentalConditionsSunIntensity, w.Sun.Illuminance)
		b = wire.End(b, inner)
	}
	return wire.End(b, at)
}

const secondsPerDay = 24 * 3600

// The limits of OSI's grades of precipitation in mm/h, of ambient light in lux, and of fog by
// visibility in m; the latter are negative so that they increase.
var (
	rainLimits = [...]float64{0.1, 0.5, 1.9, 8.1, 34, 149}
	sunLimits  = [...]float64{0.01, 1, 3, 10, 20, 400, 1000, 10_000}
	fogLimits  = [...]float64{-40_000, -10_000, -4_000, -2_000, -1_000, -200, -50}
)

// grade counts the limits that a value exceeds.
func grade(v float64, limits []float64) (n int32) {
	for _, l := range limits {
		if v > l {
			n++
		}
	}
	return n
}

// illumination returns the level of ambient light, which follows from the sunlight. If that is
// unknown, the level is lowest at night and highest during the day.
func illumination(daytime float64, sun *mocksim.Sun) int32 {
	const night, dusk, bright = 2, 6, 10
	if sun.Known {
		return night + grade(sun.Illuminance, sunLimits[:])
	}
	switch hour := daytime / 3600; {
	case hour >= 7 && hour < 19:
		return bright
	case hour >= 6 && hour < 20:
		return dusk
	}
	return night
}
