package dummysensor

import (
	"math"

	"gosmp/fmi"
	"gosmp/frames"
	"gosmp/model"
	"gosmp/osmp"
	"gosmp/sensor/objects"
	"gosmp/sensor/simsensor"
)

// parameters are the values that a user can set, in the order of their declaration, except
// forgetAfter, which was added later.
type parameters struct {
	nominalRange float64
	replay       struct {
		enabled, loop, strict bool
		scenarioFile          string
		timeUnit              string
		startDelay            float64 // s
	}
	imu struct {
		axes                string
		gravityCompensation bool
	}
	objects  objectParameters
	validate bool
	mounting frames.Pose
	sensorID int32
}

// objectParameters describe the detection of objects.
type objectParameters struct {
	enabled, stationary, occlusion           bool
	rangeFactor, halfAngle                   float64
	detectionProbability, dropoutProbability float64
	positionNoise, velocityNoise             float64
	dropoutCycles, seed, forgetAfter         int32
}

// replayNames are the parameters on which every replayed output depends while the instance
// initializes.
var replayNames = []string{
	"replay.enabled", "replay.scenarioFile", "replay.timeUnit", "replay.startDelay", "replay.loop",
	"replay.strict",
}

// configDependencies are the parameters that determine the requested SensorView configuration.
var configDependencies = []string{
	"nominalrange", "sensorId", "objects.rangeFactor",
	"mounting.x", "mounting.y", "mounting.z", "mounting.roll", "mounting.pitch", "mounting.yaw",
}

// newSensor creates a sensor and declares its variables. The order is part of the contract with
// users.
func newSensor(d *model.Declaration) model.Model {
	s := &dummySensor{}
	s.view = d.Input(osmp.SensorViewIn.Described(
		"SensorView in which to detect objects and which SensorData passes on"))
	s.data = d.Output(osmp.SensorDataOut)
	s.config = d.ConfigRequest(s.view, configDependencies...)
	model.PlainOutput(d, &s.valid, "valid", "true when OSMPSensorDataOut holds a message")
	model.PlainOutput(d, &s.count, "count",
		"number of detected moving objects in OSMPSensorDataOut")
	s.declareParameters(d)
	s.out.declare(d)
	// after the outputs, so that existing variables keep their references
	s.objects.declareForgetting(d)
	d.Recording()
	s.rows = d.Input(rowsIn)
	s.out.declareAdded(d)
	s.osi = d.Log("OSI", "contents of OSI messages")
	s.simsensor = d.Log("simsensor",
		"the replayed scenario file: malformed rows and other findings")
	return s
}

// rowsIn carries the rows of a recording that a simulator creates while it drives, one step at a
// time.
var rowsIn = osmp.Kind{Prefix: "replay.rowsIn", MIMEType: simsensor.MIMEType,
	Causality: fmi.Input, Description: "simsensor rows that were measured in the step, " +
		"in place of a recording"}

// idLeftOpen is the value of sensorId that leaves the id to the configuration or the SensorView.
const idLeftOpen = -1

// mostRange, in m, and the corresponding factor keep their product within the detector's limits.
const mostRange = 1e6

func (p *parameters) declareParameters(d *model.Declaration) {
	m, number, atLeast0, most := model.Unit("m"), model.Unit("1"), model.Min(0),
		model.Max(objects.Most)
	model.Parameter(d, &p.nominalRange, "nominalrange", 135,
		"nominal range of the sensor; the sensor detects objects up to objects.rangeFactor "+
			"times this range", m, atLeast0, model.Max(mostRange))
	p.declareReplay(d)
	model.Parameter(d, &p.imu.axes, "imu.axes", "FRD",
		"axes of the recorded accelerometer and gyroscope: FRD or FLU",
		model.OneOf("FRD", "FLU"))
	model.Parameter(d, &p.imu.gravityCompensation, "imu.gravityCompensation", true,
		"remove gravity from the accelerations in OSI messages, assuming a level mount")
	c, o := objects.Default(), &p.objects
	model.Parameter(d, &o.enabled, "objects.enabled", true,
		"detect the objects of a connected SensorView")
	model.Parameter(d, &o.stationary, "objects.stationary", c.Stationary,
		"also detect stationary objects")
	model.Parameter(d, &o.rangeFactor, "objects.rangeFactor", c.RangeFactor,
		"ratio of the range of detection to nominalrange",
		number, atLeast0, model.Max(objects.Most/mostRange))
	model.Parameter(d, &o.halfAngle, "objects.halfAngle", c.HalfAngle,
		"angle between the axis of the field of view and its edge",
		model.Unit("rad"), atLeast0, model.Max(math.Pi))
	model.Parameter(d, &o.occlusion, "objects.occlusion", c.Occlusion,
		"objects hide what is behind them: an object is hidden when other bounding boxes cover "+
			"its centre and its eight corners, "+
			"each moved a tenth of the way to the centre")
	model.Parameter(d, &o.detectionProbability, "objects.detectionProbability",
		c.DetectionProbability,
		"probability that an object in view is detected in a step", number, atLeast0, model.Max(1))
	model.Parameter(d, &o.dropoutProbability, "objects.dropoutProbability", c.DropoutProbability,
		"probability that an object in view drops out for objects.dropoutCycles SensorViews",
		number, atLeast0, model.Max(1))
	model.Parameter(d, &o.dropoutCycles, "objects.dropoutCycles", int32(c.DropoutCycles),
		"number of consecutive SensorViews for which a dropout lasts",
		model.Min(1))
	model.Parameter(d, &o.positionNoise, "objects.positionNoise", c.PositionNoise,
		"standard deviation of the noise on each coordinate of a position", m, atLeast0, most)
	model.Parameter(d, &o.velocityNoise, "objects.velocityNoise", c.VelocityNoise,
		"standard deviation of the noise on each coordinate of a velocity", model.Unit("m/s"),
		atLeast0, most)
	model.Parameter(d, &o.seed, "objects.seed", int32(c.Seed),
		"seed of noise, missed detections and dropouts; the same seed and sensor id "+
			"give the same run", atLeast0)
	model.Parameter(d, &p.validate, "input.validate", false,
		"decode every field of a SensorView before passing it on, not only the fields that "+
			"detection reads")
	p.declareMounting(d)
	model.Parameter(d, &p.sensorID, "sensorId", idLeftOpen,
		"SensorData.sensor_id; -1: taken from the agreed configuration, else from the "+
			"SensorView, else 1", model.Min(idLeftOpen))
}

func (o *objectParameters) declareForgetting(d *model.Declaration) {
	model.Parameter(d, &o.forgetAfter, "objects.forgetAfter", int32(objects.Default().ForgetAfter),
		"number of steps without detection after which an object gets a new tracking id when it "+
			"is detected again", model.Min(1))
}

func (p *parameters) declareReplay(d *model.Declaration) {
	r := &p.replay
	model.Parameter(d, &r.enabled, "replay.enabled", true, "replay a scenario file")
	model.Parameter(d, &r.scenarioFile, "replay.scenarioFile", "",
		"simsensor CSV file; empty is the bundled one, relative paths start at resources/")
	model.Parameter(d, &r.timeUnit, "replay.timeUnit", "auto",
		"unit of the time stamps in the file: ms, us, s or ns; auto decides by the rates of the "+
			"sensors in the file")
	model.Parameter(d, &r.startDelay, "replay.startDelay", 0,
		"time from the start of the experiment to the first row",
		model.Unit("s"), model.Min(0))
	model.Parameter(d, &r.loop, "replay.loop", true,
		"start over at the end of the file, unless the file ends with an end row (0)")
	model.Parameter(d, &r.strict, "replay.strict", false,
		"refuse a file with malformed rows instead of skipping them")
}

func (p *parameters) declareMounting(d *model.Declaration) {
	const left = "; all six 0: taken from the agreed configuration, else from the SensorView"
	m, rad := model.Unit("m"), model.Unit("rad")
	at, turned := &p.mounting.Position, &p.mounting.Orientation
	model.Parameter(d, &at.X, "mounting.x", 0,
		"mounting position in the vehicle frame, distance forward of the rear axle"+left, m)
	model.Parameter(d, &at.Y, "mounting.y", 0,
		"mounting position in the vehicle frame, distance left of the centre line"+left, m)
	model.Parameter(d, &at.Z, "mounting.z", 0,
		"mounting position in the vehicle frame, height above the rear axle"+left, m)
	model.Parameter(d, &turned.Roll, "mounting.roll", 0,
		"mounting orientation, rotation about the x axis"+left, rad)
	model.Parameter(d, &turned.Pitch, "mounting.pitch", 0,
		"mounting orientation, rotation about the y axis"+left, rad)
	model.Parameter(d, &turned.Yaw, "mounting.yaw", 0,
		"mounting orientation, rotation about the z axis"+left, rad)
}
