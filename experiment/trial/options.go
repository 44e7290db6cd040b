package trial

import (
	"io/fs"

	"gosmp/cosim"
	"gosmp/experiment"
	"gosmp/experiment/scxml"
	"gosmp/timebase"
)

// Maker creates a participant, a new one for each reset.
type Maker struct {
	Name string
	Step cosim.Grid // its own step; the zero value means the experiment's step
	New  func(g Given) (cosim.Participant, error)
	// Values is set instead of New for values over time that no participant computes, and creates
	// their source.
	Values func() (cosim.Source, error)
	// SetStart sets a start value for the participants that New creates from now on; nil if there
	// are no start values.
	SetStart func(experiment.StartValue)
	// Files lists the files inside an FMU, such as resources/map.csv, for start values that name
	// files.
	Files []string
}

// Given is passed to each participant of an experiment.
type Given struct {
	Seed    uint64 // seed of the run
	Physics string // physicsEngine of the description; "" if none
}

// Wiring is the content of a system structure: its parts, and the connections of these and the
// vehicles.
type Wiring struct {
	Participants []Maker
	Connections  []cosim.Connection // vehicles appear by name, as in ego.view
	Step         cosim.Grid         // the zero value means 20 ms
	Warnings     []string           // about content without effect
}

// Simulation is an engine that has not started, with all participants and connections.
type Simulation struct {
	Engine *cosim.Engine
	// Variables lists the variables of all participants, sorted, under the names used by users:
	// ego.speed, sensor.OSMPSensorDataOut. A SensorView that no connection reads is not listed,
	// because it is computed only if something watches it.
	Variables []Variable
	trial     *Trial
}

// Variable is a variable of a participant. Its name includes the name of the participant.
type Variable struct {
	Name string
	Fed  bool // an input that has a connection
	cosim.Variable
}

// Full returns the name of a variable in the engine.
func (s *Simulation) Full(name string) string { return s.trial.full(name) }

// Source returns the output that feeds an input, both by their names in the engine, or "" without a
// connection.
func (s *Simulation) Source(input string) string { return s.trial.fed[input] }

// Watch watches a variable. The signal is labeled with the name used by users.
func (s *Simulation) Watch(name string) *cosim.Signal {
	return s.Engine.Watch(s.Full(name)).SetLabel(name)
}

// Options configure a trial.
type Options struct {
	Files        fs.FS  // the directory of the description
	Seed         uint64 // replaces rngSeed; 0 means the description's seed, or a random one
	Set          []Setting
	Participants []Maker // in addition to the participants of the BIBI document
	FMU          func(p experiment.Participant) (Maker, error)
	// reads a system structure in place of a BIBI document
	System func(src string, vehicles []string) (Wiring, error)
	// reads a scenario used as the environment, with those settings that have the names of its
	// parameters
	Scenario func(src string, set []Setting) (*Scenario, error)
	// what machines log and do; may be nil
	Log func(line string)
	// to a system under test; may be nil
	Bridge Bridge
	// for Verdict.Command: the description as gosmp run receives it, "" for its name, and options
	// that the verdict depends on, such as --bridge FILE
	Named string
	Words []string
	// files of these options, for Verdict.Inputs
	Inputs []Input
	// the events of the bridge, for Examine; nil if they are unknown
	Carried *Carried
	// may add observers to a new simulation; may be nil
	Observe func(s *Simulation) error
	// measures timeouts in real time, which the description requests, or which apply if it names no
	// clock and Speed or Commands is set; nil means timebase.SystemTime()
	Clock timebase.TimeSource
	// timeout if the description has none; 0 means an hour of simulated time
	Default timebase.Duration
	// simulated seconds per real second; 0 means as fast as possible
	Speed float64
	// called once, when the run falls behind the clock; may be nil
	Behind func(timebase.Delay)
	// commands of a user during Run; may be nil. At the timeout, Run waits for extend or stop.
	// Closing the channel resumes a paused trial
	Commands <-chan Command
	// returns the user events posted to all machines since the last call; may be nil
	Posted func() []scxml.Event
	// Run starts paused and waits for a command
	Held bool
	Save func(file string, state []byte) error
	// Simulator names the simulator that moves the vehicles, as in mocksim/foreign, instead of the
	// description's; "" means the description's
	Simulator string
	// refuse charts in which experiment.Check or the function Examine finds an error, and repeat
	// their other findings as warnings in the verdict
	Examine bool
	// record a film in the course, for a report
	Film bool
}
