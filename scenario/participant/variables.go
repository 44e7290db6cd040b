package participant

import (
	"math"

	"gosmp/cosim"
	"gosmp/mocksim"
	"gosmp/mocksim/recording"
	"gosmp/osmp"
	"gosmp/osmp/connect"
)

// The names of the variables of a seat, after the name of the entity and a dot.
const (
	View         = "OSMPSensorViewOut"
	DriversView  = "driver.OSMPSensorViewOut"
	Command      = "driver.OSMPTrafficCommandOut"
	Update       = "OSMPTrafficUpdateIn"
	Answer       = "OSMPTrafficCommandUpdateIn"
	Motion       = "OSMPMotionRequestIn"
	Data         = "OSMPHostVehicleDataOut"
	Stream       = "OSMPStreamingUpdateOut"
	Brake        = "brakeRequest"
	Acceleration = "accelerationRequest"
	Steering     = "steeringWheelAngle"
	Target       = "targetSpeed"
	Tire         = "tireAngle"
	Engaged      = "control"
	// Rows is the output for the measurements of the entity's own sensors in a step.
	Rows = "simsensorOut"
)

// The names of the variables of the world.
const (
	GroundTruth = "GroundTruthOut"
	Init        = "OSMPGroundTruthInitOut"
)

// pedals lists the controls of a vehicle. A target speed replaces the pedals, and a tire angle
// replaces the steering wheel.
var pedals = [...]string{"throttle", "brake", Steering, Target, Tire}

// Controls returns the names of a seat's numeric inputs, without the name of the entity and the
// dot.
func Controls() []string { return append([]string{Brake, Acceleration}, pedals[:]...) }

// limits lists the numbers that the numeric inputs of a seat accept. The steering wheel turns two
// full turns to either side.
var limits = map[string]cosim.Limits{Brake: {Most: 1}, Acceleration: {Least: -100, Most: 100},
	pedals[0]: {Most: 1}, pedals[1]: {Most: 1}, Steering: {Least: -wheel, Most: wheel},
	Target: {Most: math.MaxFloat64},
	Tire:   {Least: -wheel / mocksim.SteeringRatio, Most: wheel / mocksim.SteeringRatio}}

const wheel = 16 * math.Pi / 2 // rad

// state lists the outputs that every entity has.
var state = [...]struct{ name, unit string }{{"x", "m"}, {"y", "m"}, {"z", "m"}, {"yaw", "rad"},
	{"speed", "m/s"}, {"acceleration", "m/s2"}}

// variable describes the meaning of a variable.
type variable struct {
	entity int // -1: the world
	what   string
}

// declare creates the variables.
func (p *Participant) declare() {
	for k, name := range p.names {
		for _, q := range state {
			p.add(k, q.name, cosim.Variable{Name: name + "." + q.name, Kind: cosim.Float64,
				Role: cosim.Output, Size: 1, Continuous: true, Unit: q.unit})
		}
		for _, what := range [...]string{"exists", "controlled"} {
			p.add(k, what, cosim.Variable{Name: name + "." + what, Kind: cosim.Boolean,
				Role: cosim.Output, Size: 1})
		}
	}
	p.message(-1, GroundTruth, "GroundTruth", cosim.Output)
	p.message(-1, Init, "GroundTruth", cosim.Calculated)
	for _, s := range p.seats {
		p.declareSeat(s.entity)
	}
}

func (p *Participant) declareSeat(entity int) {
	for _, view := range [...]string{View, DriversView} {
		p.message(entity, view, "SensorView", cosim.Output)
		p.message(entity, view+connect.ConfigSuffix, "SensorViewConfiguration", cosim.Calculated)
	}
	p.message(entity, Command, osmp.TrafficCommandIn.Message, cosim.Output)
	p.message(entity, Update, osmp.TrafficUpdateOut.Message, cosim.Input)
	p.message(entity, Answer, osmp.TrafficCommandUpdateOut.Message, cosim.Input)
	p.message(entity, Motion, osmp.MotionRequestOut.Message, cosim.Input)
	p.message(entity, Data, osmp.HostVehicleDataOut.Message, cosim.Output)
	p.message(entity, Stream, osmp.StreamingUpdateOut.Message, cosim.Output)
	p.add(entity, Rows, cosim.Variable{Name: p.names[entity] + "." + Rows, Kind: cosim.Binary,
		Role: cosim.Output, Size: 1, MIMEType: recording.MIMEType, Portions: true})
	units := map[string]string{Acceleration: "m/s2", Steering: "rad", Brake: "1",
		pedals[0]: "1", pedals[1]: "1", Target: "m/s", Tire: "rad"}
	for _, name := range Controls() {
		limit := limits[name]
		p.add(entity, name, cosim.Variable{Name: p.names[entity] + "." + name, Kind: cosim.Float64,
			Role: cosim.Input, Size: 1, Continuous: true, Unit: units[name], Limits: &limit})
	}
	p.add(entity, Engaged, cosim.Variable{Name: p.names[entity] + "." + Engaged,
		Kind: cosim.Boolean, Role: cosim.Input, Size: 1})
}

func (p *Participant) message(entity int, what, message string, role cosim.Role) {
	name := what
	if entity >= 0 {
		name = p.names[entity] + "." + what
	}
	p.add(entity, what, cosim.Variable{Name: name, Kind: cosim.Binary, Role: role, Size: 1,
		MIMEType: osmp.MIMEType(message)})
}

func (p *Participant) add(entity int, what string, v cosim.Variable) {
	p.about = append(p.about, variable{entity, what})
	p.variables = append(p.variables, v)
}
