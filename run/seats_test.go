//go:build linux && cgo

package run_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/run"
)

const loopRoad = "../examples/loop/road.xodr"

// pack packs a program as an FMU.
func pack(t *testing.T, program string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("packs an FMU")
	}
	file := filepath.Join(t.TempDir(), filepath.Base(program)+".fmu")
	text, err := exec.Command("go", "run", "../"+program, "pack", "-o", file).CombinedOutput()
	require.NoError(t, err, string(text))
	return file
}

// seated returns the options for a run on the road of the example, without traffic.
func seated(files ...string) run.Options {
	o := run.Defaults(files...)
	stop := 5.0
	o.Actors, o.StopTime, o.Record = 1, &stop, ""
	return o
}

func TestDrive_WhateverTheOrderOfFiles(t *testing.T) {
	driver := pack(t, "examples/driver")
	hashes := map[string]bool{}
	for _, files := range [][]string{{loopRoad}, {loopRoad, driver}, {driver, loopRoad}} {
		o := seated(files...)
		o.Drive = []run.Assignment{{Variable: "ego", Value: driver}}
		result, err := run.Run(t.Context(), o)
		require.NoError(t, err)
		require.Equal(t, []run.Driven{{Actor: "ego", FMU: "driver"}},
			result.Summary.Maps[0].Driven)
		hashes[result.Summary.TraceHash] = true
	}
	require.Len(t, hashes, 1)

	o := seated(loopRoad)
	o.Drive = []run.Assignment{{Variable: "traffic0000", Value: driver}}
	o.On = []run.Assignment{{Variable: "ego", Value: "spy=" + driver}}
	result, err := run.Run(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, []run.Driven{{Actor: "traffic0000", FMU: "driver"}},
		result.Summary.Maps[0].Driven)
}

func TestDrive_Refuses(t *testing.T) {
	driver := pack(t, "examples/driver")
	for want, change := range map[string]func(o *run.Options){
		`found "nobody", expected one of ego, traffic0000`: func(o *run.Options) {
			o.Drive[0].Variable = "nobody"
		},
		"no such file":                 func(o *run.Options) { o.Drive[0].Value = "absent.fmu" },
		"use the algorithm sequential": func(o *run.Options) { o.Parallel = true },
		"a second driver": func(o *run.Options) {
			o.Drive = append(o.Drive, run.Assignment{Variable: "ego", Value: driver})
		},
		"a map (OpenDRIVE) among the files": func(o *run.Options) { o.Files = []string{driver} },
		"expected an FMU": func(o *run.Options) {
			o.Drive[0].Value = "x=" + loopRoad
		},
	} {
		o := seated(loopRoad)
		o.Drive = []run.Assignment{{Variable: "ego", Value: driver}}
		change(&o)
		_, err := run.Run(t.Context(), o)
		require.ErrorContains(t, err, want)
	}
}
