package dummysensor

import (
	"math"

	"gosmp/frames"
	"gosmp/model"
	"gosmp/osmp"
	"gosmp/sensor/objects"
)

// parameters are the values that a user can set, in the order of their declaration, but for forgetAfter, which came later.
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

// replayNames are the parameters on which every replayed output depends while the instance initializes.
var replayNames = []string{
	"replay.enabled", "replay.scenarioFile", "replay.timeUnit", "replay.startDelay", "replay.loop", "replay.strict",
}

// configDependencies are the parameters that decide the requested SensorView configuration.
var configDependencies = []string{
	"nominalrange", "sensorId", "objects.rangeFactor",
	"mounting.x", "mounting.y", "mounting.z", "mounting.roll", "mounting.pitch", "mounting.yaw",
}

// newSensor makes a sensor and declares its variables. The order is part of the contract with users.
func newSensor(d *model.Declaration) model.Model {
	s := &dummySensor{}
	s.view = d.Input(osmp.SensorViewIn.Described("SensorView to detect in and to carry along"))
	s.data = d.Output(osmp.SensorDataOut)
	s.config = d.ConfigRequest(s.view, configDependencies...)
	model.PlainOutput(d, &s.valid, "valid", "true when OSMPSensorDataOut holds a message")
	model.PlainOutput(d, &s.count, "count", "number of detected moving objects in OSMPSensorDataOut")
	s.declareParameters(d)
	s.out.declare(d)
	s.objects.declareForgetting(d) // behind the outputs: what was there before keeps its reference
	s.osi = d.Log("OSI", "contents of OSI messages")
	s.simsensor = d.Log("simsensor", "the replayed scenario file: malformed rows and oddities")
	return s
}

// idLeftOpen is the value of sensorId that leaves the id to others.
const idLeftOpen = -1

// mostRange, in m, and the factor that goes with it keep what they make together within what the detector takes.
const mostRange = 1e6

func (p *parameters) declareParameters(d *model.Declaration) {
	m, number, atLeast0, most := model.Unit("m"), model.Unit("1"), model.Min(0), model.Max(objects.Most)
	model.Parameter(d, &p.nominalRange, "nominalrange", 135,
		"nominal range of the sensor; objects are seen up to objects.rangeFactor times as far", m, atLeast0, model.Max(mostRange))
	p.declareReplay(d)
	model.Parameter(d, &p.imu.axes, "imu.axes", "FRD", "axes of the recorded accelerometer and gyroscope: FRD or FLU",
		model.OneOf("FRD", "FLU"))
	model.Parameter(d, &p.imu.gravityCompensation, "imu.gravityCompensation", true,
		"take gravity out of OSI accelerations, assuming a level mount")
	c, o := objects.Default(), &p.objects
	model.Parameter(d, &o.enabled, "objects.enabled", true, "detect the objects of a connected SensorView")
	model.Parameter(d, &o.stationary, "objects.stationary", c.Stationary, "detect stationary objects, too")
	model.Parameter(d, &o.rangeFactor, "objects.rangeFactor", c.RangeFactor, "objects are seen up to so many times nominalrange",
		number, atLeast0, model.Max(objects.Most/mostRange))
	model.Parameter(d, &o.halfAngle, "objects.halfAngle", c.HalfAngle, "angle from the axis of the field of view to its edge",
		model.Unit("rad"), atLeast0, model.Max(math.Pi))
	model.Parameter(d, &o.occlusion, "objects.occlusion", c.Occlusion,
		"objects hide what is behind them: an object is seen when the centre of its bounding box or one of the eight corners, drawn in "+
			"by a tenth, is not behind another box")
	model.Parameter(d, &o.detectionProbability, "objects.detectionProbability", c.DetectionProbability,
		"of an object in view, in each step", number, atLeast0, model.Max(1))
	model.Parameter(d, &o.dropoutProbability, "objects.dropoutProbability", c.DropoutProbability,
		"of an object in view to be lost for a while", number, atLeast0, model.Max(1))
	model.Parameter(d, &o.dropoutCycles, "objects.dropoutCycles", int32(c.DropoutCycles), "for how many steps a lost object is lost",
		model.Min(1))
	model.Parameter(d, &o.positionNoise, "objects.positionNoise", c.PositionNoise, "standard deviation of each coordinate", m, atLeast0,
		most)
	model.Parameter(d, &o.velocityNoise, "objects.velocityNoise", c.VelocityNoise, "standard deviation of each coordinate",
		model.Unit("m/s"), atLeast0, most)
	model.Parameter(d, &o.seed, "objects.seed", int32(c.Seed), "of noise and losses; the same seed and sensorId give the same run", atLeast0)
	model.Parameter(d, &p.validate, "input.validate", false,
		"look into every field of a SensorView before it is carried along, not only into those that detection reads")
	p.declareMounting(d)
	model.Parameter(d, &p.sensorID, "sensorId", idLeftOpen,
		"SensorData.sensor_id; -1 leaves it to the configuration or the SensorView, and means 1 without either", model.Min(idLeftOpen))
}

func (o *objectParameters) declareForgetting(d *model.Declaration) {
	model.Parameter(d, &o.forgetAfter, "objects.forgetAfter", int32(objects.Default().ForgetAfter),
		"steps without detection after which an object that comes back gets a new tracking id", model.Min(1))
}

func (p *parameters) declareReplay(d *model.Declaration) {
	r := &p.replay
	model.Parameter(d, &r.enabled, "replay.enabled", true, "replay a scenario file")
	model.Parameter(d, &r.scenarioFile, "replay.scenarioFile", "",
		"simsensor CSV file; empty is the bundled one, relative paths start at resources/")
	model.Parameter(d, &r.timeUnit, "replay.timeUnit", "auto",
		"unit of the time stamps in the file: ms, us, s or ns; auto goes by the rates of the sensors in the file")
	model.Parameter(d, &r.startDelay, "replay.startDelay", 0, "time from the start of the experiment to the first row",
		model.Unit("s"), model.Min(0))
	model.Parameter(d, &r.loop, "replay.loop", true, "start over at the end of the file, unless an end row (0) stands there")
	model.Parameter(d, &r.strict, "replay.strict", false, "refuse a file with malformed rows instead of skipping them")
}

func (p *parameters) declareMounting(d *model.Declaration) {
	const left = "; all six 0 leave it to the configuration or the SensorView"
	m, rad := model.Unit("m"), model.Unit("rad")
	at, turned := &p.mounting.Position, &p.mounting.Orientation
	model.Parameter(d, &at.X, "mounting.x", 0, "mounting position in the vehicle's frame, forward of the rear axle"+left, m)
	model.Parameter(d, &at.Y, "mounting.y", 0, "mounting position, left of the centre line"+left, m)
	model.Parameter(d, &at.Z, "mounting.z", 0, "mounting position, above the rear axle"+left, m)
	model.Parameter(d, &turned.Roll, "mounting.roll", 0, "mounting orientation about the x axis"+left, rad)
	model.Parameter(d, &turned.Pitch, "mounting.pitch", 0, "mounting orientation about the y axis"+left, rad)
	model.Parameter(d, &turned.Yaw, "mounting.yaw", 0, "mounting orientation about the z axis"+left, rad)
}
