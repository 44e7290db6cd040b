package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"gosmp/experiment/trial"
	"gosmp/importer"
	"gosmp/sweep"
)

// workCommand is the process that a sweep starts for its runs.
type workCommand struct {
	Experiment string `arg:"" type:"existingfile" help:"Experiment (.exc) to run."`
}

// Help is what follows the list of flags.
func (workCommand) Help() string {
	return `Each line of standard input is a run as JSON, with the members set, a list of {Name, Value}, and seed. Each is answered with a row as ` +
		`JSON on standard output. The end of the input ends the process.`
}

// Run answers until its input ends.
func (c *workCommand) Run() error {
	// A terminal and batch systems signal the whole group. Only the sweep acts on it: a worker, or an FMU
	// of it, that ended first would give an interrupted run a row. The processes of FMUs inherit this.
	signal.Ignore(os.Interrupt, syscall.SIGTERM)
	text, err := os.ReadFile(c.Experiment)
	if err != nil {
		return err
	}
	pool := &importer.Pool{Print: func(instance, line string) { fmt.Fprintf(os.Stderr, "%s: %s\n", instance, line) }}
	defer func() { _ = pool.Close() }() // FMUs that failed are in the rows
	return sweep.Serve(os.Stdin, os.Stdout, func(x sweep.Case) sweep.Row { return rowOf(c.Experiment, text, pool, x) })
}

// rowOf runs an experiment once.
func rowOf(name string, text []byte, pool *importer.Pool, x sweep.Case) sweep.Row {
	c := &runCommand{}
	h := &host{command: c, dir: filepath.Dir(name), pool: pool}
	options := c.experimentOptions(h, nil)
	options.Seed, options.Log = x.Seed, nil
	for _, s := range x.Set {
		options.Set = append(options.Set, trial.Setting(s))
	}
	row := sweep.Row{Outcome: sweep.Faulty, Seed: x.Seed}
	t, err := trial.Open(name, text, options)
	if err != nil {
		row.Cause = err.Error()
		return row
	}
	h.physics = t.Description().Physics
	v, err := t.Run(context.Background())
	row.Outcome, row.Cause, row.Seed, row.Time, row.Steps, row.TraceHash = v.Outcome, v.Cause, v.Seed, v.Time, v.Steps, v.TraceHash
	if err != nil {
		row.Outcome, row.Cause = sweep.Faulty, err.Error()
	}
	for _, j := range v.Judgments {
		measure(&row, j)
	}
	return row
}

// measure takes the numbers with which a machine has ended.
func measure(row *sweep.Row, j trial.Judgment) {
	var members map[string]any
	if len(j.Data) == 0 || json.NewDecoder(bytes.NewReader(j.Data)).Decode(&members) != nil {
		return
	}
	for name, value := range members {
		if x, ok := value.(float64); ok {
			if row.Metrics == nil {
				row.Metrics = map[string]float64{}
			}
			row.Metrics[j.Machine+"."+name] = x
		}
	}
}
