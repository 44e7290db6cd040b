package run

import (
	"cmp"
	"context"
	"errors"

	"gosmp/bridge/flow"
	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/importer/system"
	"gosmp/run/results"
	"gosmp/trace"
)

// Simulation is a run of FMUs and maps, together or as a system. It can only run once.
//
// [Simulation.Prepare] reads the files and fills in System, Spec and Engine. [Simulation.Run]
// prepares the simulation, if that has not been done, and runs it; [Simulation.Close] must follow.
// [Simulation.Summary] describes the progress at any time.
type Simulation struct {
	Options Options
	System  *system.System
	Spec    cosim.Spec
	// Proposed lists the values that no option sets and where they come from, such as "stop 10 (by
	// default)".
	Proposed string
	Engine   *cosim.Engine
	Recorder *results.Recorder // for Options.OutputFile; may be nil
	Result   *cosim.Result     // nil before the engine has run

	maps    []*simulated
	placed  []placed
	names   []string // of the files
	opened  int      // of the files
	pool    *importer.Pool
	signals []*cosim.Signal // recorded
	hash    *cosim.Hash
	table   *cosim.Table
	log     *logger
	files   []outputFile
	inputs  []File
	sources []trace.Source // for InputMessages
	bridge  *flow.Flow     // nil without
	viewed  *viewed        // nil without
	// hostView is the SensorView of the host vehicle of a world; "" for the SensorView of a map
	hostView string
	alias    func(name string) string // of variables that a bridge names; nil if they have none
	ready    bool
	// recorded returns the signals for Options.Record; nil for all signals with messages
	recorded func() []*cosim.Signal
}

// New returns a simulation that has not read any files yet.
func New(o Options) *Simulation { return &Simulation{Options: o, log: &logger{to: o.Log}} }

// Prepare reads the FMUs and the inputs, determines what to run, and opens the results.
func (r *Simulation) Prepare() error {
	if err := r.Options.checkFiles(); err != nil {
		return err
	}
	if err := r.open(); err != nil {
		return err
	}
	if err := r.observe(); err != nil {
		return err
	}
	r.ready = true
	return nil
}

// open reads the FMUs and the inputs, and determines what to run.
func (r *Simulation) open() error {
	if err := r.openSystem(); err != nil {
		return err
	}
	if err := r.makeEngine(); err != nil {
		return err
	}
	return r.connectInputs()
}

// Run runs the simulation to its end, or until the context ends. The error is then the cause of the
// context.
func (r *Simulation) Run(ctx context.Context) error {
	if !r.ready {
		if err := r.Prepare(); err != nil {
			return err
		}
	}
	return r.simulate(ctx)
}

func (r *Simulation) simulate(ctx context.Context) (err error) {
	defer r.viewed.follow(ctx)()
	r.Result, err = r.runEngine(ctx)
	r.viewed.close(err)
	return err
}

// Kill ends the processes of all FMUs at once. A running Run returns an error. Any goroutine may
// call Kill after Prepare.
func (r *Simulation) Kill() { r.pool.Kill() }

// Close ends the FMUs and completes the results files.
func (r *Simulation) Close() error {
	if r.pool != nil {
		_ = r.pool.Close() // failed FMUs were already reported
	}
	r.viewed.close(nil)
	return r.closeFiles()
}

// One reports whether the run has a single participant, whose variables have no prefix.
func (r *Simulation) One() bool { return len(r.System.Parts) == 1 && r.System.File == "" }

// runFMUs implements [Run] for FMUs and maps.
func runFMUs(ctx context.Context, o Options) (*Result, error) {
	r := New(o)
	err := r.Run(ctx)
	if e := r.Close(); e != nil {
		err = cmp.Or(err, e)
	}
	result := &Result{Summary: r.Summary(err)}
	result.Passed = err == nil
	return result, err
}

// try prepares a run without starting it, to report start values and options that it does not
// accept.
func (r *Simulation) try() error { return errors.Join(r.open(), r.Close()) }
