package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// interruptCommand is "interrupt SIGNAL END WHEN program argument...": it runs a program in a
// separate process group, sends the signal to the group, and fails unless the program ends with
// END. WHEN is the condition for the signal: "stdout:TEXT" (the text has been written), "FILE:TEXT"
// (the file contains the text), a file that exists, or a duration.
func interruptCommand(ts *testscript.TestScript, _ bool, a []string) {
	var problem bytes.Buffer
	out := &watched{}
	c := exec.Command(program(ts, a[3]), a[4:]...)
	c.Args[0], c.Dir, c.Stdout, c.Stderr = a[3], ts.MkAbs("."), out, &problem
	c.Env = append(os.Environ(), "PATH="+ts.Getenv("PATH"), "HOME="+ts.Getenv("HOME"),
		"WORK="+ts.Getenv("WORK"))
	ownGroup(c)
	ts.Check(c.Start())
	if !wait(ts, a[2], out) {
		ts.Logf("%s has not come to %s", a[3], a[2])
		ts.Check(signalGroup(c, "KILL"))
	}
	ts.Check(signalGroup(c, a[0]))
	_ = c.Wait()                                  // the end is compared below
	_, _ = ts.Stdout().Write(out.written.Bytes()) // buffers
	_, _ = ts.Stderr().Write(problem.Bytes())
	if end := c.ProcessState.String(); end != a[1] {
		ts.Fatalf("%s ended with %q, expected %q", a[3], end, a[1])
	}
}

// program finds a program in the script's PATH.
func program(ts *testscript.TestScript, name string) string {
	for _, folder := range filepath.SplitList(ts.Getenv("PATH")) {
		if found, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return found
		}
	}
	ts.Fatalf("%s is not in PATH", name)
	return ""
}

// wait returns false if the condition is not met within five minutes.
func wait(ts *testscript.TestScript, when string, out *watched) bool {
	if d, err := time.ParseDuration(when); err == nil {
		time.Sleep(d)
		return true
	}
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(
		10 * time.Millisecond) {
		if come(ts, when, out) {
			return true
		}
	}
	return false
}

// come reports whether the condition is met: a text has been written ("stdout:TEXT", "FILE:TEXT"),
// or a file exists. The name of a file may be a pattern.
func come(ts *testscript.TestScript, when string, out *watched) bool {
	file, text, written := strings.Cut(when, ":")
	if file == "stdout" {
		return out.has(text)
	}
	names, err := filepath.Glob(ts.MkAbs(file))
	ts.Check(err)
	return slices.ContainsFunc(names, func(name string) bool {
		content, err := os.ReadFile(name)
		return err == nil && (!written || bytes.Contains(content, []byte(text)))
	})
}

// watched is a buffer that can be searched while it is being written.
type watched struct {
	mu      sync.Mutex
	written bytes.Buffer
}

func (w *watched) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.written.Write(b)
}

func (w *watched) has(text string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Contains(w.written.String(), text)
}
