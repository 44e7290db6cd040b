// Package recording writes the measurements of a simulated vehicle's sensors as a simsensor
// recording, in milliseconds and with all six sensors, so that a simulated drive can be replayed
// like a recorded one.
//
//	r := recording.New(w, recording.Options{Host: "ego"}, file)
//	for ... { w.Step(h); err = r.Sample() }
//	err = r.Close()
//
// The rules:
//
//   - Sensors sit in the middle of the box at the height of the ground point, aligned with the
//     body. The earth is flat and does not rotate. Axes are forward-right-down; GPS is
//     north-east-down.
//   - Delta angles are integrals of the rates over each step. Values are rounded only once, when
//     they are written.
//   - Rates are 100 Hz (accelerometer, gyroscope), 25 Hz (magnetometer), 10 Hz (barometer), 5 Hz
//     (GPS) and 1 Hz (thermometer), as far as the steps of the simulation allow: a sample is the
//     state at the first step that is not earlier than its time.
//   - Noise and bias are 0 unless given; the same seed gives the same bytes.
//   - The file ends with an end row.
//
// Sources: the simsensor format as in sensor/simsensor; the standard atmosphere of ISO 2533.
//
// Index: [Recorder] with [Options]; [Rows], the same for sensors within the simulation;
// [Imperfection].
package recording

import (
	"bufio"
	"io"
	"math"
	"math/rand/v2"
	"strconv"

	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/internal/portable"
	"gosmp/internal/state"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

const gravity = 9.80665

// Imperfection is the error of a sensor: white noise with a standard deviation, and a constant bias
// on each axis.
type Imperfection struct{ Noise, Bias float64 }

// Options name the host vehicle and define the errors of its sensors.
type Options struct {
	Host          string
	Seed          uint64
	Accelerometer Imperfection     // m/s2
	Gyroscope     Imperfection     // rad/s
	Magnetometer  Imperfection     // T
	Barometer     Imperfection     // Pa
	GPS           Imperfection     // m, of each coordinate
	Thermometer   Imperfection     // K
	Field         frames.Vector    // the earth's field, north, east, down, T [20.6, 1.3, 43.7 uT]
	Origin        *frames.Geodetic // of the map, if its header has no usable projection
	// Indoors omits the GPS rows if the map's geographic position is unknown.
	Indoors bool
}

// Recorder writes a recording.
type Recorder struct {
	rows *Rows
	b    []byte
	out  *bufio.Writer
}

// Rows creates the rows of a recording step by step. It allocates nothing.
type Rows struct {
	w      *mocksim.World
	o      Options
	geo    opendrive.Projection // nil: no GPS
	source *rand.PCG
	random *rand.Rand    // draws from source
	angles frames.Vector // integrals of the body rates, rad, forward-right-down
	rates  frames.Vector // of the previous sample
	last   timebase.Time
	start  timebase.Time
	due    [sensors]timebase.Time
	begun  bool
}

// The sensors in the order of their rows at one time.
const (
	accelerometer = iota
	gyroscope
	magnetometer
	barometer
	gps
	thermometer
	sensors
)

// kinds holds the type ids of the sensors in simsensor files and the time between two samples.
var kinds = [sensors]struct {
	id     int64
	period timebase.Time
}{
	accelerometer: {1, 10 * timebase.Millisecond},
	gyroscope:     {8, 10 * timebase.Millisecond},
	magnetometer:  {16, 40 * timebase.Millisecond},
	barometer:     {2, 100 * timebase.Millisecond},
	gps:           {4, 200 * timebase.Millisecond},
	thermometer:   {32, timebase.Second},
}

// New starts a recording with the current state. It fails if the host does not exist, or if the
// map's geographic position is unknown.
func New(w *mocksim.World, o Options, out io.Writer) (*Recorder, error) {
	rows, err := NewRows(w, o)
	if err != nil {
		return nil, err
	}
	r := &Recorder{rows: rows, out: bufio.NewWriter(out)}
	_, _ = r.out.WriteString(Header) // the writer keeps an error
	return r, r.Sample()
}

// Sample writes the rows that are due at the current time. Call it after each step.
func (r *Recorder) Sample() (err error) {
	if r.b, err = r.rows.Append(r.b[:0]); err == nil {
		_, _ = r.out.Write(r.b)
	}
	return err
}

// Close writes the end row. The underlying writer stays open.
func (r *Recorder) Close() error {
	r.b = list(append(r.b[:0], '0'), int64(r.rows.last/timebase.Millisecond))
	_, _ = r.out.Write(append(r.b, '\n'))
	return r.out.Flush()
}

// Header is the first line of a recording.
const Header = "SensorID,Timestamp,Values\n"

// NewRows prepares rows whose time stamps count from now. It fails under the same conditions as
// [New].
func NewRows(w *mocksim.World, o Options) (*Rows, error) {
	if _, err := w.Actor(o.Host); err != nil {
		return nil, err
	}
	if o.Field == (frames.Vector{}) {
		o.Field = frames.Vector{X: 20.6e-6, Y: 1.3e-6, Z: 43.7e-6}
	}
	r := &Rows{w: w, o: o, source: rand.NewPCG(o.Seed, 0x7265636f7264), start: w.Time()}
	r.random = rand.New(r.source)
	p, err := w.Map().Header.Projection()
	switch {
	case o.Origin != nil:
		r.geo = frames.NewLocalMap(*o.Origin)
	case err == nil:
		r.geo = p
	case !o.Indoors:
		return nil, fault.Wrap(mocksim.ErrValue, fault.In(w.Map().Name), err).
			WithHint("give the map's origin: --origin LATITUDE,LONGITUDE; in Go, Options.Origin")
	}
	return r, nil
}

// Append appends the rows that are due at the current time. Call it at the start and after each
// step.
func (r *Rows) Append(b []byte) ([]byte, error) {
	v, err := r.w.Actor(r.o.Host)
	if err != nil {
		return b, err
	}
	s := v.State()
	m := measure(&s)
	now := r.w.Time() - r.start
	if r.begun { // trapezoidal rule
		h := (now - r.last).Seconds() / 2
		r.angles = r.angles.Add(r.rates.Add(m.rates).Scale(h))
	}
	r.rates, r.last, r.begun = m.rates, now, true
	for k := range sensors {
		if now < r.due[k] || k == gps && r.geo == nil {
			continue
		}
		r.due[k] += kinds[k].period * max(1, (now-r.due[k])/kinds[k].period+1)
		b = append(r.row(b, k, now, &s, &m), '\n')
	}
	return b, nil
}

// measured is the motion in the axes of the sensors, forward-right-down.
type measured struct{ force, rates frames.Vector }

func measure(s *mocksim.State) measured {
	rotation := s.Orientation.Rotation()
	force := rotation.Into(s.Acceleration.Add(frames.Vector{Z: gravity}))
	rates := rotation.Into(rotation.AngularVelocity(s.Rate))
	return measured{frd(force), frd(rates)}
}

func frd(v frames.Vector) frames.Vector { return frames.Vector{X: v.X, Y: -v.Y, Z: -v.Z} }

// off returns the error that a sensor adds to a value.
func (r *Rows) off(i Imperfection) float64 {
	if i.Noise == 0 {
		return i.Bias
	}
	return i.Bias + float64(i.Noise*r.random.NormFloat64())
}

func (r *Rows) vector(v frames.Vector, i Imperfection, unit float64) [3]int64 {
	return [3]int64{whole((v.X + r.off(i)) / unit), whole((v.Y + r.off(i)) / unit),
		whole((v.Z + r.off(i)) / unit)}
}

func whole(v float64) int64 { return int64(math.Round(v)) }

// row appends the row of a sensor, without its line feed.
func (r *Rows) row(b []byte, sensor int, now timebase.Time, s *mocksim.State, m *measured) []byte {
	b = list(strconv.AppendInt(b, kinds[sensor].id, 10), int64(now/timebase.Millisecond))
	switch sensor {
	case accelerometer:
		return vector(b, r.vector(m.force, r.o.Accelerometer, 1e-3))
	case gyroscope:
		b = vector(b, r.vector(m.rates, r.o.Gyroscope, 1e-3))
		return vector(b, r.vector(r.angles, Imperfection{}, 1e-6))
	case magnetometer:
		rotation := s.Orientation.Rotation()
		field := rotation.Into(frames.Vector{X: r.o.Field.Y, Y: r.o.Field.X, Z: -r.o.Field.Z})
		return vector(b, r.vector(frd(field), r.o.Magnetometer, 1e-7))
	case barometer:
		pressure, temperature := r.air(s.Position.Z)
		return list(b, whole(pressure+r.off(r.o.Barometer)), whole(temperature))
	case gps:
		return r.satellites(b, now, s)
	}
	_, temperature := r.air(s.Position.Z)
	return list(b, whole(temperature))
}

// list appends values, each after a comma.
func list(b []byte, values ...int64) []byte {
	for _, v := range values {
		b = strconv.AppendInt(append(b, ','), v, 10)
	}
	return b
}

func vector(b []byte, v [3]int64) []byte { return list(b, v[:]...) }

// air returns the pressure and the temperature at a height, from their values at z = 0, using the
// standard atmosphere.
func (r *Rows) air(z float64) (pressure, temperature float64) {
	w := r.w.Weather()
	return frames.PressureBelow(w.Pressure, w.Temperature, -z),
		w.Temperature - float64(frames.LapseRate*z)
}

// epoch is the start of every recording in UTC, 2026-01-01 12:00:00, in us.
const epoch = 1_767_268_800_000_000

// satellites appends the 19 fields of a GPS row.
func (r *Rows) satellites(b []byte, now timebase.Time, s *mocksim.State) []byte {
	const hdop, vdop, count, fix = 70, 110, 12, 3
	p := r.w.Map().Header.World(s.Position)
	p = p.Add(frames.Vector{X: r.off(r.o.GPS), Y: r.off(r.o.GPS), Z: r.off(r.o.GPS)})
	latitude, longitude := r.geo.Geodetic(p.X, p.Y)
	// North is the direction of a step north on the map.
	turn := r.convergence(p)
	velocity := frames.RotateZ(s.Velocity, r.w.Map().Header.OffsetTurn-turn)
	heading := frames.WrapAngle(math.Pi/2 - (s.Orientation.Yaw +
		r.w.Map().Header.OffsetTurn - turn))
	if heading < 0 {
		heading += 2 * math.Pi
	}
	accuracy := max(whole(1000*r.o.GPS.Noise), 1)
	return list(b, whole(p.Z*1e3), whole(latitude*1e9), whole(longitude*1e9),
		epoch+int64(now/timebase.Microsecond),
		hdop, vdop, whole(p.Z*1e3), whole(portable.Hypot(velocity.X, velocity.Y)*1e3),
		whole(velocity.Y*1e3),
		whole(velocity.X*1e3), whole(-velocity.Z*1e3), accuracy, accuracy, accuracy,
		whole(heading*1e3), 0, 1, count, fix)
}

// convergence returns the direction of true north on the map at a place, from the y axis,
// counter-clockwise.
func (r *Rows) convergence(p frames.Vector) float64 {
	const step = 10.0 // m
	a, b := r.at(p, -step), r.at(p, step)
	north := (b.Latitude - a.Latitude) * math.Pi / 180
	east := (b.Longitude - a.Longitude) * math.Pi / 180 * portable.Cos(a.Latitude*math.Pi/180)
	return portable.Atan2(east, north)
}

func (r *Rows) at(p frames.Vector, up float64) frames.Geodetic {
	latitude, longitude := r.geo.Geodetic(p.X, p.Y+up)
	return frames.Geodetic{Latitude: latitude, Longitude: longitude}
}

// AppendState appends the state on which the next rows depend, except for the world.
func (r *Rows) AppendState(b []byte) []byte {
	random, _ := r.source.MarshalBinary() // it never fails
	b = state.AppendBytes(b, random)
	for _, v := range [...]frames.Vector{r.angles, r.rates} {
		b = state.AppendFloat64(state.AppendFloat64(state.AppendFloat64(b, v.X), v.Y), v.Z)
	}
	b = state.AppendUint64(state.AppendBool(b, r.begun), uint64(r.last))
	for _, due := range r.due {
		b = state.AppendUint64(b, uint64(due))
	}
	return b
}

// RestoreState continues from a saved state; the world must be restored, too.
func (r *Rows) RestoreState(d *state.Decoder) error {
	if random := d.Bytes(); d.Err() == nil {
		if err := r.source.UnmarshalBinary(random); err != nil {
			return err
		}
	}
	for _, v := range [...]*frames.Vector{&r.angles, &r.rates} {
		v.X, v.Y, v.Z = d.Float64(), d.Float64(), d.Float64()
	}
	r.begun, r.last = d.Bool(), timebase.Time(d.Uint64())
	for k := range r.due {
		r.due[k] = timebase.Time(d.Uint64())
	}
	return d.Err()
}
