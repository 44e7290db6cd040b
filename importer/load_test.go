//go:build linux && cgo

package importer_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/internal/testfmu"
	"gosmp/timebase"
)

// digestOf follows the messages of an output.
type digestOf struct {
	sum    hash.Hash
	signal *cosim.Signal
}

func (d digestOf) Begin(*cosim.Result) error { return nil }
func (d digestOf) End(*cosim.Result) error   { return nil }
func (d digestOf) Row(timebase.Time, cosim.Row) error {
	_, err := d.sum.Write(d.signal.Blobs()[0])
	return err
}

// crowd is a system of FMUs of all versions, which step at the same time, each in a process of its
// own or all in one. With log, FMUs also log and print in each step.
type crowd struct {
	steps    int
	shared   bool
	log      bool
	messages atomic.Int64
}

// run returns a digest of all results.
func (c *crowd) run(list map[string]*importer.FMU) (string, error) {
	pool := &importer.Pool{Print: func(string, string) { c.messages.Add(1) }}
	e := cosim.New(cosim.Spec{Stop: timebase.Time(c.steps) * 20 * timebase.Millisecond,
		Step: cosim.Every(0.02), Algorithm: cosim.Parallel, Threads: 4})
	e.Add("traffic", &traffic{messages{mime: view}})
	var csv bytes.Buffer
	var plain []*cosim.Signal
	var digests []digestOf
	for name, f := range list {
		o := importer.Options{Shared: c.shared, LoggingOn: c.log,
			Log: func(importer.Message) { c.messages.Add(1) }}
		i, err := f.NewInstance(name, pool, o)
		if err != nil {
			return "", err
		}
		e.Add(name, i)
	}
	for _, name := range []string{"old", "middle", "new", "sensor", "twin"} {
		f := list[name]
		if f == nil {
			continue
		}
		for _, v := range f.Variables() {
			switch {
			case v.Role == cosim.Input && v.Name == "OSMPSensorViewIn":
				e.Connect("traffic.view", name+"."+v.Name)
			case v.Role == cosim.Output && v.Kind == cosim.Binary:
				d := digestOf{sha256.New(), e.Watch(name + "." + v.Name)}
				digests = append(digests, d)
				e.Observe(d)
			case v.Role == cosim.Output && !v.Kind.IsBlob():
				plain = append(plain, e.Watch(name+"."+v.Name))
			}
		}
	}
	e.Observe(cosim.NewRecorder(&csv, plain...))
	_, err := e.Run(context.Background())
	if e := pool.Close(); err == nil {
		err = e
	}
	sum := sha256.New()
	sum.Write(csv.Bytes())
	for _, d := range digests {
		sum.Write(d.sum.Sum(nil))
	}
	return fmt.Sprintf("%x", sum.Sum(nil)), err
}

// TestLoad_ManySystemsAtOnce: systems of FMUs of all versions and of the packed sensors run
// thousands of steps at the same time, in processes of their own and in shared ones, and all have
// the same results. In builds with sanitizers, the worker runs under them, as do the FMUs: the test
// FMUs, and the loader and the C part of the packed ones if these were built with them.
func TestLoad_ManySystemsAtOnce(t *testing.T) {
	fmus := map[string]*importer.FMU{
		"old":    open(t, testfmu.Recipe{Version: 1, Orders: []string{"DoStep log 2"}}),
		"middle": open(t, testfmu.Recipe{OSMP: true, Orders: []string{"DoStep log 2", "DoStep print"}}),
		"new":    open(t, testfmu.Recipe{Version: 3, Orders: []string{"DoStep log 2"}}),
	}
	for name, file := range map[string]string{"sensor": "OSMPDummySensor.fmu",
		"twin": "OSMPDummySensor-fmi3.fmu"} {
		path := dist(file)
		if f, err := importer.Open(path); err == nil {
			fmus[name] = f
		} else {
			t.Logf("without %s, which make fmu packs: %v", filepath.Base(path), err)
		}
	}
	steps := 3000
	if testing.Short() {
		steps = 100
	}
	var all sync.WaitGroup
	results := make([]string, 6)
	for k := range results {
		c := &crowd{steps: steps, shared: k%3 == 2, log: k%2 == 1}
		all.Go(func() {
			got, err := c.run(fmus)
			if err != nil {
				t.Errorf("system %d: %v", k, err)
			}
			results[k] = got
			if c.log && c.messages.Load() < int64(steps) {
				t.Errorf("system %d: %d messages", k, c.messages.Load())
			}
		})
	}
	all.Wait()
	for k := range results {
		require.Equal(t, results[0], results[k], "system %d", k)
	}
}
