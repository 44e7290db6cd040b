//go:build linux && cgo

package importer_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/importer"
)

// legality checks the calls that the importer makes to one instance against the table of legal
// calls that the project's own FMUs obey and that gosmp check --run uses.
type legality struct {
	t      testing.TB
	events bool
	state  fmi.State
	before fmi.State            // the state before the last call
	saved  map[string]fmi.State // by the address of a saved state
	calls  []string
}

var (
	savedState = regexp.MustCompile(`FMUState=(0x[0-9a-f]+)`)
	statuses   = []string{"OK", "WARNING", "DISCARD", "ERROR", "FATAL", "PENDING"}
)

// check checks one message of the importer, if it is a call.
func (l *legality) check(m importer.Message) {
	name, rest, found := strings.Cut(m.Text, "(")
	if !m.Call || !found || len(name) < len("fmi2") {
		return
	}
	if l.calls = append(l.calls, name); strings.Contains(rest, "eventModeUsed=True") {
		l.events = true
	}
	version := fmi.Version(name[len("fmi")] - '0')
	if version != fmi.FMI2 && version != fmi.FMI3 {
		return // FMUs of FMI 1.0 check it themselves
	}
	legal, known := fmu.MayCall(version, name, l.state)
	if name == "fmi3DoStep" && l.state == fmi.Terminated { // a call failed during the step
		legal, _ = fmu.MayCall(version, name, l.before)
	}
	l.before = l.state
	assert.True(l.t, legal || !known, "%s in the state %q, after %s", name, l.state,
		strings.Join(l.calls, " "))
	_, word, _ := strings.Cut(rest[max(0, strings.LastIndex(rest, ")")):], "-> ")
	status := fmi.Status(max(0, slices.Index(statuses, word)))
	address := ""
	if at := savedState.FindStringSubmatch(rest); at != nil {
		address = at[1]
	}
	l.state = fmu.StateAfter(name, l.state, status, l.events)
	switch of := strings.ToLower(name[len("fmi2"):]); {
	case status > fmi.Warning:
	case of == "getfmustate":
		if l.saved == nil {
			l.saved = map[string]fmi.State{}
		}
		l.saved[address] = l.state
	case of == "setfmustate":
		state, known := l.saved[address]
		if !known { // it was deserialized
			state = fmi.StepComplete
		}
		l.state = state
	}
}

// TestLegality checks that an illegal call is noticed.
func TestLegality(t *testing.T) {
	watched := &testing.T{}
	l := &legality{t: watched}
	for _, text := range []string{`fmi2Instantiate("x") -> 0x1`, "fmi2DoStep(c=0x1) -> OK"} {
		l.check(importer.Message{Call: true, Text: text})
	}
	assert.True(t, watched.Failed())
}
