//go:build linux && cgo

package run_test

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer"
	"gosmp/internal/packed"
	"gosmp/run"
	"gosmp/trace"
)

const loopRoad = "../examples/loop/road.xodr"

// pack packs a program as an FMU.
func pack(t *testing.T, program string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("packs an FMU")
	}
	file := filepath.Join(t.TempDir(), filepath.Base(program)+".fmu")
	packFMU(t, program, file)
	return file
}

// packFMU writes the FMU of a program to a file.
func packFMU(t *testing.T, program, file string) {
	t.Helper()
	from, err := packed.FMU(t.TempDir(), program)
	require.NoError(t, err)
	content, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, content, 0o600))
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

	// a connection of the TrafficUpdates alone has the same effect
	o = seated(loopRoad, driver)
	o.Actors = 2
	o.Connections = []run.Connection{{From: "driver.OSMPTrafficUpdateOut",
		To: "road.traffic0000.OSMPTrafficUpdateIn"}}
	connected, err := run.Run(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, result.Summary.Maps[0].Driven, connected.Summary.Maps[0].Driven)
	o = seated(loopRoad)
	o.Actors = 2
	o.Drive = []run.Assignment{{Variable: "traffic0000", Value: driver}}
	result, err = run.Run(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, result.Summary.TraceHash, connected.Summary.TraceHash)
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

// warnings collects the warnings of a run.
type warnings []string

func (w *warnings) Message(importer.Message) {}
func (w *warnings) Warn(text string)         { *w = append(*w, text) }
func (w *warnings) Printed(string)           {}

// mistyped returns a copy of an FMU whose MIME types are wrong, like those of public templates.
func mistyped(t *testing.T, file string) string {
	t.Helper()
	from, err := zip.OpenReader(file)
	require.NoError(t, err)
	defer func() { require.NoError(t, from.Close()) }()
	name := filepath.Join(t.TempDir(), filepath.Base(file))
	f, err := os.Create(name)
	require.NoError(t, err)
	to := zip.NewWriter(f)
	wrong := strings.NewReplacer("type=TrafficUpdate;", "type=SensorView;")
	for _, member := range from.File {
		r, err := member.Open()
		require.NoError(t, err)
		b, err := io.ReadAll(r)
		require.NoError(t, err)
		if member.Name == "modelDescription.xml" {
			text := wrong.Replace(string(b))
			require.NotEqual(t, string(b), text)
			b = []byte(text)
		}
		w, err := to.CreateHeader(&zip.FileHeader{Name: member.Name, Method: zip.Deflate})
		require.NoError(t, err)
		_, err = w.Write(b)
		require.NoError(t, err)
	}
	require.NoError(t, to.Close())
	require.NoError(t, f.Close())
	return name
}

// TestL2_NamesBeforeTypes checks L2: the names of OSMP variables determine which messages they
// carry, regardless of their MIME types; one warning reports this.
func TestL2_NamesBeforeTypes(t *testing.T) {
	driver := pack(t, "examples/driver")
	hashes := map[string]bool{}
	for _, file := range []string{driver, mistyped(t, driver)} {
		log := &warnings{}
		o := seated(loopRoad)
		o.Drive = []run.Assignment{{Variable: "ego", Value: file}}
		o.Log, o.Record = log, filepath.Join(t.TempDir(), "loop.mcap")
		result, err := run.Run(t.Context(), o)
		require.NoError(t, err)
		hashes[result.Summary.TraceHash] = true
		text := strings.Join(*log, "\n")
		warned := strings.Count(text, "the MIME types of OSMPTrafficUpdateOut contradict")
		require.Equal(t, file != driver, warned == 1, text)
		recorded, err := trace.Open(o.Record, trace.Options{})
		require.NoError(t, err)
		types := map[string]string{}
		for _, c := range recorded.Channels() {
			types[c.Topic] = c.Type
		}
		require.NoError(t, recorded.Close())
		require.Equal(t, "osi3.TrafficUpdate", types["driver.OSMPTrafficUpdateOut"])
		require.NotContains(t, types, "road.ego.OSMPMotionRequestIn")
	}
	require.Len(t, hashes, 1)
}
