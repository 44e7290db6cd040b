package objects

import (
	"errors"
	"math"

	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/internal/portable"
	"gosmp/timebase"
)

// Detector is a sensor that detects objects. It belongs to one goroutine. A copy is not an
// independent detector.
type Detector struct {
	config   Config
	cosHalf  float64 // of the half angle
	reach    float64
	reach2   float64         // its square
	detects  [kindCount]bool // whether objects of the kind are reported
	lossy    bool            // objects in view can go undetected
	noisy    bool            // there is noise
	rmse     [3][]byte       // see rmseOf
	memory   memory
	problems Problems
	culprits [problemCount]culprit

	// Results of the newest view. They do not refer to the bytes of the view.
	now      timebase.Time // end of the span
	measured timebase.Time
	mounting frames.Pose
	sensorID uint64
	host     HostVehicle
	// index of the host vehicle among the moving objects; the first guess for the next view
	hostAt int
	blind  bool // there is no usable host vehicle
	looked bool // there is a newest view
	found  [kindCount][]Detection
	text   []byte // Detection.candidate and color refer to it
	header []byte // DetectedEntityHeader, for both kinds
	// last fields of a DetectedItemHeader, the same for all: measurement_state and sensor_id
	origin []byte

	originWord uint64 // the first bytes of origin

	// Used while a view is processed.
	view      view
	carrier   object // the host vehicle
	sight     sight
	group     group
	mount     mount
	obstacles obstacles

	layouts [kindCount]layouts // last and without pointers: unused parts are never touched
}

// memory is the data that a detector keeps from one view to the next. The saved state consists of
// this data.
type memory struct {
	cycle   uint64 // views processed
	skipped uint64 // steps without a view
	next    uint64 // tracking id for the next new object
	tracks  [kindCount]tracks
}

// step returns the number of the current step, by which the age of tracks is measured.
func (m *memory) step() uint64 { return m.cycle + m.skipped }

// Result is the outcome of one view.
type Result struct {
	Moving     int // detected moving objects: what the OSMP example calls count
	Stationary int // detected stationary objects
	// the view has a usable host vehicle; false if nothing is to be detected
	HostFound bool
	Measured  timebase.Time // the instant of the reported positions: last_measurement_time
	Problems  Problems      // oddities of this view
}

// New returns a detector configured by c, or an error with cause [ErrConfig] that names the invalid
// setting.
func New(c Config) (*Detector, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if c.Mounting != nil {
		own := *c.Mounting
		c.Mounting = &own
	}
	if c.SensorID != nil {
		own := *c.SensorID
		c.SensorID = &own
	}
	d := &Detector{config: c, cosHalf: portable.Cos(c.HalfAngle), reach: c.Range(),
		reach2: c.Range() * c.Range()}
	d.detects = [kindCount]bool{MovingObject: c.Moving, StationaryObject: c.Stationary}
	d.lossy = c.DetectionProbability < 1 || c.DropoutProbability > 0
	d.noisy = c.PositionNoise > 0 || c.VelocityNoise > 0
	if c.HalfAngle == math.Pi {
		d.cosHalf = -2 // all around, despite rounding errors
	}
	for k := range d.memory.tracks {
		d.memory.tracks[k] = newTracks(c.ForgetAfter)
	}
	d.hostAt, d.mount.axes = nowhere, d.mount.angles.Rotation()
	d.encodeRMSE()
	d.Reset()
	return d, nil
}

// Reset discards all tracks and restarts the counts of cycles and tracking ids at 1.
func (d *Detector) Reset() {
	d.memory.cycle, d.memory.skipped, d.memory.next = 0, 0, 1
	for k := range d.memory.tracks {
		d.memory.tracks[k].reset()
	}
	d.clear()
}

// clear drops the newest view.
func (d *Detector) clear() {
	d.problems, d.blind, d.looked = 0, true, false
	d.text = d.text[:0]
	for k := range d.found {
		d.found[k] = d.found[k][:0]
	}
	d.obstacles.clear()
}

// Detect processes the SensorView in the given bytes for the step that ends at span.End. It neither
// keeps nor changes the bytes. A detector with nothing to detect reads only time, sensor id and
// mounting position.
//
// An error has the kind [ErrEmpty] or [ErrUndecodable]. The step then has no detections and is not
// counted as a cycle; the caller counts it with [Detector.SkipStep]. Every other anomaly is a
// [Problem] of the result.
func (d *Detector) Detect(bytes []byte, span timebase.Span) (Result, error) {
	d.clear()
	defer func() {
		d.view.bytes = nil
		d.group.end()
		d.carrier.view = nil
	}()
	if len(bytes) == 0 {
		return Result{}, fault.New(ErrEmpty, fault.At("SensorView"), "0 bytes",
			"an osi3.SensorView").
			WithHint("connect the input, or call Detect only when there is data")
	}
	// nothing after the view is read; see appendShort
	err := d.view.read(bytes[:len(bytes):len(bytes)])
	if err == nil {
		d.now = span.End
		err = d.look()
	}
	if err != nil {
		d.clear()
		return Result{}, undecodable(bytes)
	}
	d.memory.cycle++
	d.looked = true
	if d.config.Occlusion {
		d.hide()
	}
	for kind := range kindCount {
		d.settle(kind)
	}
	d.encodeHeaders()
	return Result{
		Moving: len(d.found[MovingObject]), Stationary: len(d.found[StationaryObject]),
		HostFound: !d.blind, Measured: d.measured, Problems: d.problems,
	}, nil
}

// SkipStep counts a step without a usable view. Tracks age, because ForgetAfter counts steps. The
// cycle, which determines noise and losses, does not advance, so that a delayed view does not
// change the detections. Results of the newest view are discarded.
func (d *Detector) SkipStep() {
	d.clear()
	d.memory.skipped++
}

// errGuess reports that the host vehicle is not at the guessed index.
var errGuess = errors.New("wrong guess")

// look fills found with everything in view.
func (d *Detector) look() error {
	guess := nowhere
	if d.config.Moving || d.config.Occlusion { // otherwise a wrong guess would go unnoticed
		guess = d.hostAt
	}
	err := d.lookFrom(guess)
	if errors.Is(err, errGuess) {
		d.clear()
		err = d.lookFrom(nowhere)
	}
	return err
}

// lookFrom processes the view from the host vehicle, which is first looked up at the guessed index.
func (d *Detector) lookFrom(guess int) error {
	d.takeHeader()
	if !d.config.Moving && !d.config.Stationary {
		return nil
	}
	if err := d.takeHost(guess); err != nil {
		return err
	}
	for kind, list := range [kindCount][]extent{d.view.moving, d.view.stationary} {
		if len(list) == 0 || !d.detects[kind] && !d.config.Occlusion {
			continue
		}
		if err := d.lookAt(Kind(kind), list); err != nil {
			return err
		}
	}
	return nil
}

// takeHeader determines time, sensor id and mounting position.
func (d *Detector) takeHeader() {
	v := &d.view
	measured, ok := v.timestamp.time()
	switch {
	case !ok:
		measured = d.now
		d.noteHost(NoTimestamp, 0)
	case measured > d.now:
		measured = d.now
		d.noteHost(LateTimestamp, 0)
	}
	d.measured = measured
	switch {
	case d.config.SensorID != nil:
		d.sensorID = *d.config.SensorID
	case v.sensorID.set:
		d.sensorID = v.sensorID.id
	default:
		d.sensorID = DefaultSensorID
		d.noteHost(NoSensorID, 0)
	}
	if d.config.Mounting != nil {
		d.mounting = *d.config.Mounting
	} else if d.mounting, ok = v.mounting.pose(); !ok {
		d.noteHost(NoMounting, 0)
	}
}

// Problems returns the anomalies of the newest view.
func (d *Detector) Problems() Problems { return d.problems }

// Mounting returns the pose of the sensor in the vehicle frame that was used for the newest view.
func (d *Detector) Mounting() frames.Pose { return d.mounting }

// SensorID returns the sensor id in the detections of the newest view.
func (d *Detector) SensorID() uint64 { return d.sensorID }

// Host returns the host vehicle of the newest view; ok is false when there is no usable one.
func (d *Detector) Host() (h HostVehicle, ok bool) { return d.host, !d.blind }

// Cycle returns the number of views processed since the start or the last Reset.
func (d *Detector) Cycle() uint64 { return d.memory.cycle }

// Detections returns the detected objects of the newest view, in the order of the GroundTruth. The
// slice is valid until the next Detect or Reset.
func (d *Detector) Detections(kind Kind) []Detection {
	if kind >= kindCount {
		return nil
	}
	return d.found[kind]
}
