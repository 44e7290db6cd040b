package run

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/cosim"
	"gosmp/experiment"
	"gosmp/experiment/trial"
	"gosmp/importer"
	"gosmp/importer/system"
	"gosmp/report/trialpage"
	"gosmp/run/kind"
	"gosmp/timebase"
)

// experimentFlags are the flags of run that only an experiment has.
type experimentFlags struct {
	RNGSeed uint64   `group:"Experiment" name:"rng-seed" placeholder:"N" help:"Seed of an experiment, instead of its rngSeed."`
	Set     []string `group:"Experiment" sep:"none" placeholder:"NAME=VALUE" help:"Set a parameter of an experiment: timeout, VEHICLE.x (y, z, roll, pitch, yaw), FMU.VARIABLE, or MACHINE.DATA; may be repeated."`
	Report  string   `group:"Experiment" predictor:"file" placeholder:"FILE.html" help:"Write a report on an experiment, one file that works offline."`
	Control bool     `group:"Experiment" help:"Start an experiment paused and take commands from standard input, one per line: ${experimentCommands}. At a terminal, with --real-time, commands are taken without this flag."`
	Resume  string   `group:"Experiment" type:"existingfile" placeholder:"FILE" help:"Continue from a state of the experiment that the command save has written."`
	JUnit   string   `group:"Experiment" name:"junit" predictor:"file" placeholder:"FILE.xml" help:"Write the verdict of an experiment for build servers."`
}

// experiment is the input if it is the description of an experiment.
func (c *Command) experiment() (*inputfile.File, bool) {
	in, err := inputfile.Open(c.Files[0])
	if err != nil || in.Piped {
		return nil, false
	}
	return in, in.Kind() == kind.Experiment
}

// runExperiment runs an experiment and ends with the exit code of its verdict.
func (c *Command) runExperiment(in *inputfile.File) error {
	document, err := in.Text()
	if err != nil {
		return err
	}
	to := os.Stdout
	if c.JSON {
		to = os.Stderr
	}
	log := bufio.NewWriter(to)
	dir := filepath.Dir(in.Name)
	pool := &importer.Pool{Print: func(instance, line string) { fmt.Fprintf(os.Stderr, "%s: %s\n", instance, line) }}
	defer func() { _ = pool.Close() }() // FMUs that failed are reported before
	h := &host{command: c, dir: dir, pool: pool}
	o := c.experimentOptions(h, log)
	if o.Set, err = settings(c.Set); err != nil {
		return err
	}
	if c.Bridge != "" {
		f, err := joinBridge(c.Bridge, &o)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }() // the end of the engine has closed it, if there was one
	}
	results := c.recordExperiment(&o)
	defer func() { _ = results.close() }() // reported before, unless there was another error
	t, err := trial.Open(in.Name, document, o)
	if err != nil {
		return err
	}
	h.physics = t.Description().Physics
	ctx, stop := cli.UntilEnded()
	defer stop()
	if c.Resume != "" {
		saved, err := os.ReadFile(c.Resume)
		if err == nil {
			err = t.Resume(ctx, saved)
		}
		if err != nil {
			return err
		}
	}
	v, err := t.Run(ctx)
	if e := errors.Join(results.close(), log.Flush(), c.writeVerdict(t, v)); e != nil {
		return cli.Flushed(e)
	}
	return judged(v, err)
}

func settings(texts []string) (list []trial.Setting, err error) {
	for _, text := range texts {
		s, err := trial.ParseSetting(text)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

func (c *Command) experimentOptions(h *host, log *bufio.Writer) trial.Options {
	return trial.Options{
		Files: os.DirFS(h.dir), Seed: c.RNGSeed, Log: c.logger(log), Speed: c.RealTime, Commands: c.commands(), Held: c.Control,
		FMU: h.maker, System: h.wiring,
		Save: func(file string, state []byte) error {
			return cli.WriteFile(file, func(w io.Writer) error { _, err := w.Write(state); return err })
		},
	}
}

// logger writes lines of the log, at once where a user follows the run.
func (c *Command) logger(log *bufio.Writer) func(string) {
	return func(line string) {
		fmt.Fprintln(log, line)
		if c.Control || c.RealTime > 0 {
			_ = log.Flush() // the last call reports the error again
		}
	}
}

// commands reads commands from standard input, if there is somebody to give them.
func (c *Command) commands() <-chan trial.Command {
	if info, err := os.Stdin.Stat(); !c.Control && (err != nil || info.Mode()&os.ModeCharDevice == 0 || c.RealTime == 0) {
		return nil
	}
	list := make(chan trial.Command)
	go func() {
		defer close(list)
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			command, err := trial.ParseCommand(lines.Text())
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				continue
			}
			list <- command
		}
	}()
	return list
}

// judged is the end of the command for a verdict.
func judged(v *trial.Verdict, err error) error {
	switch {
	case err != nil && v.State == trial.Failed:
		return cli.ExitWith(err, ExitCode(err)) // the participants may be unusable
	case err != nil:
		return cli.ExitWith(err, cli.ExitFailed)
	case v.Outcome == "timeout":
		return cli.ExitWith(fmt.Errorf("%s: timeout at %v s, undecided", v.Experiment, v.Time), cli.ExitTimeout)
	case !v.Passed:
		return cli.Negative(fmt.Sprintf("%s: failed: %s", v.Experiment, v.Cause))
	}
	return nil
}

func (c *Command) writeVerdict(t *trial.Trial, v *trial.Verdict) error {
	var all []error
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{{c.Report, func(w io.Writer) error { return trialpage.Write(w, t.Course()) }}, {c.JUnit, v.WriteJUnit}} {
		if f.name != "" {
			all = append(all, cli.WriteFile(f.name, f.write))
		}
	}
	if c.JSON {
		all = append(all, v.WriteJSON(os.Stdout))
	} else {
		_, err := fmt.Printf("%s: %s at %v s (ended by %s), seed %d\n", v.Experiment, v.Outcome, v.Time, v.EndedBy, v.Seed)
		all = append(all, err)
	}
	return errors.Join(all...)
}

// host makes the FMUs of an experiment.
type host struct {
	command *Command
	dir     string // of the experiment
	pool    *importer.Pool
	physics string // physicsEngine of the description
	withFMU func() // called for each FMU, if not nil
}

// maker opens an FMU of an experiment.
func (h *host) maker(p experiment.Participant) (trial.Maker, error) {
	f, err := importer.Open(filepath.Join(h.dir, filepath.FromSlash(p.Src)))
	if err != nil {
		return trial.Maker{}, err
	}
	var start []importer.StartValue
	for _, s := range p.Start {
		start = append(start, importer.StartValue{Name: s.Name, Value: s.Value})
	}
	return h.instances(p.Name, f, start), nil
}

// instances makes instances of an FMU.
func (h *host) instances(name string, f *importer.FMU, start []importer.StartValue) trial.Maker {
	if h.withFMU != nil {
		h.withFMU()
	}
	set := func(s experiment.StartValue) {
		start = slices.DeleteFunc(slices.Clone(start), func(old importer.StartValue) bool { return old.Name == s.Name })
		start = append(start, importer.StartValue{Name: s.Name, Value: s.Value})
	}
	return trial.Maker{Name: name, SetStart: set, New: func(seed uint64) (cosim.Participant, error) {
		o := importer.Options{Timeout: h.command.Timeout, LoggingOn: h.command.LoggingOn, Start: withExperiment(start, f.Variables(), seed, h.physics)}
		return f.NewInstance(name, h.pool, o)
	}}
}

// withExperiment adds to start values what an experiment gives each FMU that has a parameter for it:
// the seed, and the physics engine if the description names one. What the user has given stays.
func withExperiment(start []importer.StartValue, variables []cosim.Variable, seed uint64, physics string) []importer.StartValue {
	all := slices.Clone(start)
	for _, v := range variables {
		named := func(name string) bool { return strings.EqualFold(name, v.Name) }
		if v.Role != cosim.Parameter || slices.ContainsFunc(start, func(s importer.StartValue) bool { return s.Name == v.Name }) {
			continue
		}
		switch {
		case slices.ContainsFunc([]string{"seed", "rngSeed", "randomSeed"}, named):
			all = append(all, importer.StartValue{Name: v.Name, Value: strconv.FormatUint(seed&(1<<31-1), 10)})
		case named("physicsEngine") && v.Kind == cosim.String && physics != "":
			all = append(all, importer.StartValue{Name: v.Name, Value: physics})
		}
	}
	return all
}

// wiring reads a system structure that takes the place of a BIBI document.
func (h *host) wiring(src string, vehicles []string) (w trial.Wiring, err error) {
	s, err := system.ReadBeside(filepath.Join(h.dir, filepath.FromSlash(src)), h.command.Variant, vehicles)
	if err != nil {
		return w, err
	}
	s.Negotiate()
	w.Connections = s.Connections
	for _, p := range s.Parts {
		m := h.instances(p.Name, p.FMU, p.Start)
		if p.Step.Origin != "" {
			m.Step = cosim.Every(p.Step.Number)
		}
		w.Participants = append(w.Participants, m)
	}
	if s.Step.Origin != "" {
		w.Step, err = timebase.FromSeconds(s.Step.Number)
	}
	return w, err
}
