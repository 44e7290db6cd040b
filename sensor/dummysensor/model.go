package dummysensor

import (
	"errors"
	"fmt"
	"path/filepath"

	"gosmp/frames"
	"gosmp/model"
	"gosmp/sensor/objects"
	"gosmp/sensor/replay"
	"gosmp/sensor/simsensor"
	"gosmp/timebase"
)

// dummySensor is the model of one instance of the FMU.
type dummySensor struct {
	parameters
	out   outputs
	valid bool
	count int32

	changed bool // the newest step wrote the plain outputs

	view, rows     *model.Input
	data           *model.Output
	config         *model.ConfigRequest
	osi, simsensor *model.Log

	program     *program           // nil until the sensor is set up
	unitProblem *simsensor.Problem // a doubtful or implausible unit of time
	muted       bool               // a SensorView ended the bundled recording
	deaf        bool               // rows were set, but a file is being played
	estimator   replay.Estimator
	estimate    replay.Estimate // of the newest samples; empty before the first
	identity    identity
	head        []byte            // buffer for what precedes the SensorView in SensorData
	detector    *objects.Detector // detects nothing when detection is switched off
	reports     reports
	result      objects.Result // of the newest SensorView
}

// ErrParameter reports an invalid parameter.
var ErrParameter = errors.New("wrong parameter")

// Setup implements model.Model.
func (s *dummySensor) Setup(env model.Environment) error {
	if err := s.configure(); err != nil {
		return err
	}
	player, live, err := s.open(env)
	if err != nil {
		return err
	}
	if s.program, err = newProgram(env.Start, player, live, handlers{s.detect, s.emit,
		s.diagnose}); err != nil {
		return err
	}
	s.writeOutputs()
	return s.judgeUnit(player)
}

// judgeUnit returns a warning about a doubtful or implausible time unit from the initialization,
// which hosts see even with logging switched off. A wrong unit affects the whole run and would
// otherwise go unnoticed. If the file clearly uses a unit other than the documented one, this is
// logged as an ordinary line.
func (s *dummySensor) judgeUnit(player *simsensor.Player) error {
	if s.unitProblem != nil {
		return model.Warning(fmt.Errorf("replay.timeUnit: %w", s.unitProblem))
	}
	if player != nil && s.replay.timeUnit == simsensor.Auto.String() &&
		player.Unit() != simsensor.Milliseconds {
		s.simsensor.Printf(
			"replay.timeUnit: the rows of the scenario file suggest time stamps in %v",
			player.Unit())
	}
	return nil
}

// configure determines the requested and the agreed configuration.
func (s *dummySensor) configure() error {
	agreed, err := s.config.Negotiate(s.wantedConfiguration())
	if err != nil {
		return err
	}
	s.identity = s.ownIdentity()
	if err := s.identity.adopt(agreed); err != nil {
		return err
	}
	s.detector, err = s.newDetector()
	return err
}

// open reads the parameters of the replay and opens the scenario; its player is nil if there is
// none. The other player is for rows that the host sets.
func (s *dummySensor) open(env model.Environment) (player, live *simsensor.Player, err error) {
	r := &s.replay
	options := simsensor.Options{Start: env.Start, Loop: r.loop, Strict: r.strict, Warn: s.warn}
	if options.Unit, err = simsensor.ParseUnit(r.timeUnit); err != nil {
		return nil, nil, fmt.Errorf("%w: replay.timeUnit: %w", ErrParameter, err)
	}
	if options.StartDelay, err = timebase.FromSeconds(r.startDelay); err != nil {
		return nil, nil, fmt.Errorf("%w: replay.startDelay: %w", ErrParameter, err)
	}
	s.estimator = replay.Estimator{KeepGravity: !s.imu.gravityCompensation, Axes: frames.FRD}
	if s.imu.axes == "FLU" {
		s.estimator.Axes = frames.FLU
	}
	if live, err = simsensor.OpenLive(rowsIn.Prefix, options); err != nil || !r.enabled {
		return nil, live, err
	}
	path, err := scenarioPath(r.scenarioFile, env.Resources)
	if err != nil {
		return nil, nil, err
	}
	if player, err = simsensor.Open(path, options); err != nil {
		return nil, nil, fmt.Errorf("replay.scenarioFile: %w", err)
	}
	return player, live, nil
}

// scenarioPath returns the path of the file named by the user.
func scenarioPath(name, resources string) (string, error) {
	switch {
	case filepath.IsAbs(name):
		return name, nil
	case resources == "":
		return "",
			fmt.Errorf(
				"%w: replay.scenarioFile is %q, but the importer named no resources folder "+
					"(fmuResourceLocation): "+
					"set it to an absolute path, or replay.enabled to false", ErrParameter, name)
	case name == "":
		name = ScenarioResource
	}
	// filepath.Join would only clean the path
	return resources + string(filepath.Separator) + name, nil
}

// Step implements model.Model: the clock advances by one span and runs what is due.
func (s *dummySensor) Step(span timebase.Span) error {
	if err := s.hear(span, s.rows.Bytes()); err != nil {
		return err
	}
	view, played := s.view.Bytes(), s.program.player != nil
	if view != nil {
		s.mute()
	}
	err := s.program.step(span, view)
	if s.changed = played || s.program.player != nil; s.changed {
		s.writeOutputs()
	}
	return err
}

// Unchanged implements model.Steady: while nothing is played, the plain outputs stay as they are.
func (s *dummySensor) Unchanged() bool { return !s.changed }

// hear takes the rows that the host set for a step, which are measurements of its vehicle's
// sensors. They end the bundled recording. If the user named a file, the file is played instead.
func (s *dummySensor) hear(span timebase.Span, rows []byte) error {
	switch {
	case rows == nil:
		return nil
	case s.replay.enabled && s.replay.scenarioFile != "":
		if !s.deaf {
			s.simsensor.Printf("%s is connected, but replay.scenarioFile is played", rowsIn.Prefix)
		}
		s.deaf = true
		return nil
	case !s.program.isLive():
		s.simsensor.Printf("%s is connected: its rows are played, and no recording", rowsIn.Prefix)
		s.muted = false
	}
	return s.program.feed(span, rows)
}

// mute ends the bundled recording, which demonstrates the sensor while nothing is connected and is
// unrelated to the world of a SensorView. A file named by the user continues.
func (s *dummySensor) mute() {
	if s.muted || s.program.player == nil || s.program.isLive() || s.replay.scenarioFile != "" {
		return
	}
	s.muted = true
	s.program.silence()
	s.simsensor.Printf("a SensorView is connected: the bundled recording is no longer played; " +
		"replay.scenarioFile names one that is")
}

// started reports whether there are samples of a recording.
func (s *dummySensor) started() bool { return s.program.sampler.Started }

// writeOutputs updates the plain outputs.
func (s *dummySensor) writeOutputs() {
	s.out.write(&s.program.sampler.Samples, s.program.counters())
}

// Terminated implements fmu.Terminator: reports that the scenario ended.
func (s *dummySensor) Terminated() bool { return s.program.counters().Finished }

// Close implements io.Closer.
func (s *dummySensor) Close() error {
	if s.program != nil {
		s.program.close()
	}
	return nil
}
