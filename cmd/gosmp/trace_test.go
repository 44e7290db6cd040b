package main

import (
	"bytes"
	"os"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
	"google.golang.org/protobuf/proto"

	"gosmp/mocksim/scene"
	"gosmp/timebase"
	"gosmp/trace/osi"
)

// viewsCommand writes a trace of the given number of SensorViews, 20 ms apart: views file.osi 50.
func viewsCommand(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	var b bytes.Buffer
	w := osi.NewWriter(&b)
	for k := range n {
		message, err := proto.MarshalOptions{Deterministic: true}.Marshal(scene.Motorway(
			timebase.Time(k) * 20 * timebase.Millisecond))
		ts.Check(err)
		ts.Check(w.Write(message))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o600))
}

// cutCommand copies the first bytes of a file, or all but the last ones: cut from to 100, cut from
// to -60.
func cutCommand(ts *testscript.TestScript, _ bool, args []string) {
	content, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	if n >= 0 {
		n -= len(content)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), content[:-n], 0o600))
}
