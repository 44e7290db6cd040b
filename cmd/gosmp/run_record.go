package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"gosmp/cosim"
	"gosmp/trace"
	"gosmp/trace/live"
	"gosmp/trace/mcap"
)

// observeTrace records the messages of all binary variables into one file.
func (r *fmuRun) observeTrace() error {
	c := r.command
	if c.Record == "" {
		return nil
	}
	format, err := recordFormat("--record", c.Record)
	if err != nil {
		return err
	}
	signals := r.binarySignals()
	if len(signals) == 0 {
		return unexpected("--record", "an FMU without binary inputs and outputs", "at least one to record")
	}
	if err := recordable(c.Record, format, signals, "; --output-messages NAME=FILE records one of them"); err != nil {
		return err
	}
	f, err := r.create("--record", c.Record)
	if err != nil {
		return err
	}
	sink, err := trace.Create(f, format, trace.SinkOptions{Compression: mcap.Zstd})
	if err != nil {
		return err
	}
	recorder, err := live.NewRecorder(sink, live.RecorderOptions{Drop: c.RealTime > 0, Warn: r.console.warn}, signals...)
	if err != nil {
		return &usageError{"--record", err}
	}
	r.engine.Observe(recorder)
	return nil
}

// binarySignals are all inputs and outputs that carry messages.
func (r *fmuRun) binarySignals() (list []*cosim.Signal) {
	for _, p := range r.system.Parts {
		for _, v := range p.Variables() {
			if v.Kind == cosim.Binary && (v.Role == cosim.Input || v.Role == cosim.Output) {
				list = append(list, r.engine.Watch(p.Name+"."+v.Name))
			}
		}
	}
	return list
}

// recordable refuses what a file of the format cannot hold, before the file is created.
func recordable(name string, format trace.Format, signals []*cosim.Signal, instead string) error {
	if format != trace.OSIFile || len(signals) == 1 {
		return nil
	}
	names := make([]string, len(signals))
	for k, s := range signals {
		names[k] = s.Label()
	}
	return unexpected("--record", fmt.Sprintf("%s for the messages of %s", name, strings.Join(names, ", ")), "a name that ends in .mcap, as an .osi file holds one channel"+instead)
}

// recordFormat is the format of a recorded trace, by the ending of its name.
func recordFormat(flag, name string) (trace.Format, error) {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".mcap":
		return trace.MCAP, nil
	case ".osi":
		return trace.OSIFile, nil
	}
	return trace.Unknown, unexpected(flag, fmt.Sprintf("%q", name), "a name that ends in .mcap or .osi")
}
