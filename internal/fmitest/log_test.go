package fmitest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/internal/fmitest"
)

// shown is fmitest.Trouble as a host sees it: FMI's '#' doubled, printf's '%' single again.
var shown = strings.ReplaceAll(fmitest.Trouble, "#", "##")

func TestLog_PrintfGivesTheTextBack(t *testing.T) {
	for behaviour, want := range map[string]fmitest.Line{
		fmitest.StepWarns: {fmi.Warning, "logStatusWarning", "", "fmi2DoStep: " + shown},
		fmitest.StepDiscards: {fmi.Discard, "logStatusDiscard", "", "fmi2DoStep: discarded: " +
			shown},
		fmitest.StepFails: {fmi.Error, "logStatusError", "", "fmi2DoStep: " + shown},
		fmitest.StepPanics: {fmi.Fatal, "logStatusFatal", "",
			"fmi2DoStep: internal error: " + shown + "; this instance is lost, others are not"},
		fmitest.StepLogs: {fmi.OK, fmitest.LogModel, "", shown},
	} {
		p := reach(t, "C")
		require.Equal(t, fmi.OK, p.behave(behaviour))
		p.c.DoStep(0.5, 0.25)
		want.Instance = p.name
		require.Equal(t, []fmitest.Line{want}, p.host.Lines(), behaviour)
		p.close()
	}
}

func TestLog_NamesThatAreFormats(t *testing.T) {
	h := fmitest.NewHost()
	defer h.Close()
	for _, name := range []string{"%s%n", "Sensor #1#", "ünïcode"} {
		c := h.Instantiate(fmitest.Usual(name))
		require.Equal(t, fmi.Error, c.DoStep(0, 1))
		lines := h.Lines()
		require.Len(t, lines, 1)
		require.Equal(t, name, lines[0].Instance)
		c.Free()
	}
}

func TestLog_RefusedInstantiationDoublesToo(t *testing.T) {
	h := fmitest.NewHost()
	defer h.Close()
	a := fmitest.Usual("refused")
	a.GUID = name("%s #r1# \xff")[0]
	require.Zero(t, h.Instantiate(a))
	lines := h.Lines()
	require.Len(t, lines, 1)
	require.Contains(t, lines[0].Text,
		`fmuGUID: wrong argument: found "%s ##r1## \xff", expected "`+fmitest.GUID)
	require.Equal(t, "logStatusError", lines[0].Category)

	a = fmitest.Usual("refused")
	a.ModelExchange = true
	require.Zero(t, h.Instantiate(a))
	require.Equal(t,
		"fmi2Instantiate: fmuType: wrong argument: found 0, expected 1; this FMU "+
			"supports only co-simulation", h.Lines()[0].Text)

	fmitest.PanicInNew(true)
	defer fmitest.PanicInNew(false)
	require.Zero(t, h.Instantiate(fmitest.Usual("refused")))
	require.Equal(t, []fmitest.Line{{fmi.Error, "logStatusError", "refused",
		"fmi2Instantiate: internal error: " + shown}}, h.Lines())
}

func TestLog_LongText(t *testing.T) {
	p := reach(t, "C")
	defer p.close()
	long := strings.Repeat("ä%#", 22_000)
	require.Equal(t, fmi.Error, p.c.SetDebugLogging(true, 1, name(long)))
	lines := p.host.Lines()
	require.Len(t, lines, 1)
	require.Contains(t, lines[0].Text, strings.ReplaceAll(long, "#", "##"))
}

func TestLog_CategoriesAreSwitchedOneByOne(t *testing.T) {
	p := reach(t, "C")
	defer p.close()
	require.Equal(t, fmi.OK, p.behave(fmitest.StepLogs))
	for k, step := range []struct {
		on         bool
		categories []*string
		lines      int
	}{
		{true, nil, 1},
		{false, name(fmitest.LogModel), 0},
		{true, name(fmitest.LogModel), 1},
		{true, name("logStatusError"), 0}, // only these
		{true, name("logAll"), 1},
		{false, nil, 0},
	} {
		require.Equal(t, fmi.OK, p.c.SetDebugLogging(step.on, uint(len(step.categories)),
			step.categories))
		require.Equal(t, fmi.OK, p.c.DoStep(0.5+0.0625*float64(k), 0.0625))
		require.Len(t, p.host.Lines(), step.lines, "step %d", k)
	}
	require.Equal(t, fmi.Error, p.c.DoStep(0, 1))
	require.Empty(t, p.host.Lines(), "logging was switched off")
}

// The log of a host that instantiates without logging still contains the reason for a failed call.
func TestLog_OffAtInstantiationShowsErrorsOnly(t *testing.T) {
	h := fmitest.NewHost()
	defer h.Close()
	a := fmitest.Usual("quiet")
	a.LoggingOn = false
	c := h.Instantiate(a)
	defer c.Free()
	require.Equal(t, fmi.OK, c.SetString([]uint32{fmitest.StringBehaviour}, 1,
		name(fmitest.StepLogs)))
	live(t, c)
	require.Empty(t, h.Lines())
	require.Equal(t, fmi.Error, c.DoStep(0, 1))
	require.Len(t, h.Lines(), 1)
}

// Without a logger or callbacks, nothing is ever logged.
func TestLog_WithoutLogger(t *testing.T) {
	h := fmitest.NewHost()
	defer h.Close()
	for _, without := range []func(*fmitest.Arguments){
		func(a *fmitest.Arguments) { a.WithoutLogger = true },
		func(a *fmitest.Arguments) { a.WithoutCallbacks = true },
	} {
		a := fmitest.Usual("mute")
		without(&a)
		c := h.Instantiate(a)
		require.Equal(t, fmi.Error, c.DoStep(0, 1))
		c.Free()
		a.GUID = nil
		require.Zero(t, h.Instantiate(a))
		require.Empty(t, h.Lines())
	}
}

// The logger is called after the work of a call, when no lock is held, so a host that calls back
// from it does not deadlock.
func TestLog_LoggerCallsBack(t *testing.T) {
	p := reach(t, "C")
	defer p.close()
	p.host.Reenter(p.c)
	require.Equal(t, fmi.OK, p.behave(fmitest.StepWarns))
	require.Equal(t, fmi.Warning, p.c.DoStep(0.5, 0.25))
	require.Len(t, p.host.Lines(), 1)
}

func TestLog_PanicWhileFreeing(t *testing.T) {
	p := reach(t, "C")
	defer p.host.Close()
	require.Equal(t, fmi.OK, p.behave(fmitest.ClosePanics))
	p.c.Free()
	require.Equal(t, []fmitest.Line{{fmi.Error, "logStatusError", p.name,
		"fmi2FreeInstance: internal error: " + shown}},
		p.host.Lines())
	require.Equal(t, fmi.Error, p.c.Reset(), "the component is still stale")
}
