package main

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/support"
	"gosmp/simapi"
)

// mockSimulator runs the mock simulator as a child process. With --traffic, it has its own cars.
func mockSimulator() {
	o := support.Options{}
	if len(os.Args) > 1 {
		o.Traffic = mocksim.Traffic{Count: 4, Prefix: "own"}
	}
	server := simapi.NewServer(simapi.Config{Name: "mock", Simulator: support.New(o)})
	if err := server.ServeStream(context.Background(), os.Stdin, os.Stdout); err != nil {
		os.Exit(1)
	}
}

// Third-party simulators move the actors of maps, experiments and scenarios.
func TestSimulators(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := simapi.NewServer(simapi.Config{Name: "mock",
		Simulator: support.New(support.Options{})})
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	maps, err := filepath.Abs("../../examples/maps")
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/simulators",
		Setup: func(e *testscript.Env) error {
			e.Setenv("SIMULATOR", l.Addr().String())
			e.Setenv("MAPS", maps)
			return nil
		},
	})
}
