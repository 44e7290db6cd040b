package experiment

import (
	"gosmp/experiment/scxml"
	"gosmp/internal/finding"
)

// The namespaces of the documents.
const (
	Namespace     = "http://schemas.humanbrainproject.eu/SP10/2014/ExDConfig"
	NamespaceBIBI = "http://schemas.humanbrainproject.eu/SP10/2014/BIBI"
	// NamespaceOwn is the namespace of the parts that gosmp adds to both documents.
	NamespaceOwn = "urn:gosmp:experiment:1"

	namespaceXSI = "http://www.w3.org/2001/XMLSchema-instance"
)

// Finding is one finding of a check.
type Finding = finding.Finding

// Findings are the findings of a check, in the order of the file.
type Findings = finding.List

// Position is a place in a document.
type Position = scxml.Position

// Description is an experiment. Parts that the document lacks are nil pointers or empty texts.
type Description struct {
	File string // as passed to Read

	Name           string
	Thumbnail      string // picture
	ThumbnailAt    Position
	Text           string // element description
	Tags           string
	Timeout        *Timeout
	Configurations []Configuration
	Maturity       string // development or production
	Environment    Environment
	Visual         *Visual
	Skin           *Skin
	BIBI           Reference
	Control        []Machine
	Evaluation     []Machine
	Camera         *Camera
	Bridge         *Bridge
	Launch         *Launch
	Seed           *uint64 // rngSeed, above 0
	Physics        string  // physicsEngine: ode or opensim
	PhysicsAt      Position
	CloneDate      string
	Extra          []*scxml.Element // elements that occur neither in the schema nor in practice
}

// Timeout states how long an experiment may run.
type Timeout struct {
	Seconds float64
	Clock   string // "simulation", "real", or "" for real
}

// The clocks of a timeout.
const (
	ClockSimulation = "simulation"
	ClockReal       = "real"
)

// In returns the clock that the timeout is measured on: the one that the document names, or
// otherwise the clock of the run. That is simulated time, or real time if a clock or a person sets
// the pace.
func (t *Timeout) In(paced bool) string {
	switch {
	case t.Clock != "":
		return t.Clock
	case paced:
		return ClockReal
	}
	return ClockSimulation
}

// Configuration names a file that belongs to the experiment.
type Configuration struct {
	Type, Src string
	Position  Position
}

// Environment is the world of an experiment.
type Environment struct {
	Src   string // a map (.xodr), or a scene (.sdf) not executed here
	Model string
	// Simulator names the simulator that moves the vehicles, as exec:COMMAND or tcp:HOST:PORT; ""
	// means gosmp's own. It is an attribute of NamespaceOwn.
	Simulator string
	Poses     []RobotPose
	Position  Position
}

// Pose is a position in m and an orientation in rad.
type Pose struct {
	X, Y, Z, Roll, Pitch, Yaw float64
	Angles                    bool // the document gives the angles; otherwise they are 0
}

// RobotPose is where a vehicle or robot starts.
type RobotPose struct {
	Pose
	Robot string // robotId; "" for the only robot
	// the name attribute, or the element itself, is in NamespaceOwn: the schema has one robotPose
	// without a name, and other tools ignore extensions
	OwnName, Own bool
	// ux, uy, uz, theta: the old form of the orientation, in addition to or instead of angles
	Axis     *[4]float64
	Position Position
}

// Visual is a model for display.
type Visual struct {
	Src      string
	Pose     Pose
	Scale    *float64
	Position Position
}

// Skin is a model for display that moves with the robot.
type Skin struct {
	Src      string
	Visual   string // attribute visual, "" if it is absent
	Position Position
}

// Reference names the BIBI document, or the system (.ssd, .ssp) that replaces it.
type Reference struct {
	Src       string
	Processes int // 1 if the document does not specify it
	given     bool
	Position  Position
}

// MachineKind is the language of a state machine.
type MachineKind string

// The kinds of state machines.
const (
	SCXML MachineKind = "SCXMLStateMachine"
	SMACH MachineKind = "SMACHStateMachine"
)

// Machine is a state machine that controls or evaluates.
type Machine struct {
	ID       string
	Kind     MachineKind
	Src      string         // "" where Chart is the machine
	Chart    *scxml.Element // of an SCXML machine inside the document
	Position Position
}

// Camera holds the position of the display's camera and the point it looks at.
type Camera struct {
	From, At [3]float64 // m
}

// Bridge is a part that a Gazebo display may omit.
type Bridge struct {
	Translation, Rotation, Early string // decimal numbers, kept as text
}

// Launch names a ROS launch file.
type Launch struct {
	Src      string
	Position Position
}

// Options configure how a document is read.
type Options struct {
	// Strict turns the warnings about the schema into errors: EX01 to EX21.
	Strict bool
}
