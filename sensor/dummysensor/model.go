package dummysensor

import (
	"errors"
	"fmt"
	"path/filepath"

	"gosmp/fmu"
	"gosmp/osmp"
	"gosmp/sensor/frames"
	"gosmp/sensor/objects"
	"gosmp/sensor/replay"
	"gosmp/sensor/simsensor"
	"gosmp/timebase"
)

// model is one sensor: what stands behind an instance of the FMU.
type model struct {
	host   fmu.Host
	vars   variables
	view   *osmp.Input
	data   *osmp.Output
	config *osmp.ConfigRequest

	program   *program // nil until the instance initializes
	settings  settings
	estimator replay.Estimator
	identity  identity
	detector  *objects.Detector // nil when detection is switched off
	reports   reports

	// Of the current step.
	result   objects.Result
	unusable bool  // the input held something, but no SensorView
	trouble  error // the warning that the step returns
}

// settings are the parameters in the types that the parts want, and the start time.
type settings struct {
	start    timebase.Time
	enabled  bool
	scenario string
	replay   simsensor.Options

	estimator replay.Estimator
}

// ErrParameter reports a parameter that has no meaning.
var ErrParameter = errors.New("wrong parameter")

func newModel(h fmu.Host, vars variables) *model {
	return &model{
		host: h, vars: vars,
		view:   osmp.NewInput(h, vars.viewIn),
		data:   osmp.NewOutput(h, vars.dataOut),
		config: osmp.NewConfigRequest(h, vars.configRequest, vars.config),
	}
}

// Initialize implements fmu.Model.
func (m *model) Initialize(start timebase.Time) error {
	if err := m.configure(); err != nil {
		return err
	}
	if err := m.open(start); err != nil {
		return err
	}
	m.writeOutputs()
	return nil
}

// configure settles what the sensor asks for and what it gets.
func (m *model) configure() error {
	agreed, err := m.config.Update(m.wantedConfiguration())
	if err != nil {
		return err
	}
	if err := m.identity.adopt(m.parameters(), agreed); err != nil {
		return err
	}
	m.detector, err = m.newDetector()
	return err
}

// open reads the parameters of the replay and opens the scenario. One that is open stays so if it would be the same: a host that
// sets parameters and reads outputs in turn is not told again what is odd about the file.
func (m *model) open(start timebase.Time) error {
	wanted, err := m.readSettings(start)
	if err != nil || !m.settings.same(wanted) {
		m.close()
	}
	m.settings, m.estimator = wanted, wanted.estimator
	if err != nil || m.program != nil {
		return err
	}
	var player *simsensor.Player
	if wanted.enabled {
		if player, err = simsensor.Open(wanted.scenario, wanted.replay); err != nil {
			return err
		}
	}
	m.program, err = newProgram(start, player, handlers{m.detect, m.emit, m.diagnose})
	return err
}

// readSettings reads the parameters of the replay.
func (m *model) readSettings(start timebase.Time) (s settings, err error) {
	v, p := m.host.Values, &m.vars.replay
	s.start, s.enabled = start, v.Booleans[p.enabled]
	s.replay = simsensor.Options{
		Start: start, Loop: v.Booleans[p.loop], Strict: v.Booleans[p.strict], Warn: m.warn,
	}
	if s.replay.Unit, err = simsensor.ParseUnit(v.Strings[p.timeUnit]); err != nil {
		return s, fmt.Errorf("%w: replay.timeUnit: %w", ErrParameter, err)
	}
	if s.replay.StartDelay, err = timebase.FromSeconds(v.Reals[p.startDelay]); err != nil {
		return s, fmt.Errorf("%w: replay.startDelay: %w", ErrParameter, err)
	}
	s.estimator.KeepGravity = !v.Booleans[m.vars.imu.gravityCompensation]
	if s.estimator.Axes, err = parseAxes(v.Strings[m.vars.imu.axes]); err != nil || !s.enabled {
		return s, err
	}
	s.scenario, err = m.scenarioPath(v.Strings[p.scenarioFile])
	return s, err
}

func parseAxes(name string) (frames.Axes, error) {
	switch name {
	case "FRD":
		return frames.FRD, nil
	case "FLU":
		return frames.FLU, nil
	}
	return 0, fmt.Errorf("%w: imu.axes is %q, expected FRD (forward-right-down) or FLU (forward-left-up)", ErrParameter, name)
}

// scenarioPath finds the file that a user means.
func (m *model) scenarioPath(name string) (string, error) {
	switch {
	case filepath.IsAbs(name):
		return name, nil
	case m.host.Resources == "":
		return "", fmt.Errorf("%w: replay.scenarioFile is %q, but the importer named no resources folder (fmuResourceLocation): "+
			"set it to an absolute path, or replay.enabled to false", ErrParameter, name)
	case name == "":
		name = ScenarioResource
	}
	return filepath.Join(m.host.Resources, name), nil
}

// Step implements fmu.Model: the clock advances by one span, and what is due on it runs.
func (m *model) Step(span timebase.Span) error {
	m.trouble = nil
	err := m.program.step(span, m.takeView())
	m.writeOutputs()
	if err != nil {
		return err
	}
	return m.trouble
}

// writeOutputs brings the plain outputs up to date. Without a replay they are 0, also if there was one before a parameter was set.
func (m *model) writeOutputs() {
	m.vars.out.write(m.host.Values, &m.program.sampler.Samples, m.program.counters())
}

// Terminated implements fmu.Terminator: the scenario has ended.
func (m *model) Terminated() bool { return m.program != nil && m.program.counters().Finished }

// Reset implements fmu.Model.
func (m *model) Reset() {
	m.close()
	m.view.Reset()
	m.data.Clear()
	m.config.Reset()
	m.identity, m.reports, m.detector = identity{}, reports{}, nil
}

// Close implements fmu.Model.
func (m *model) Close() {
	m.close()
	m.data.Close()
	m.config.Close()
}

// close ends the program.
func (m *model) close() {
	if m.program != nil {
		m.program.close()
		m.program = nil
	}
}
