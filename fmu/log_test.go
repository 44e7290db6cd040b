package fmu_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/mock"
	"gosmp/timebase"
)

// logging creates an instance with debug logging on or off.
func logging(t *testing.T, on bool) *bench {
	b := &bench{log: &mock.Log{}}
	d := testDefinition(func(h fmu.Host) fmu.Model {
		b.model = &mock.Model{Host: h}
		return b.model
	})
	i, err := fmu.Instantiate(d, fmu.Config{InstanceName: "cart", GUID: guid, LoggingOn: on,
		Deliver: b.log.Deliver})
	require.NoError(t, err)
	b.Instance = i
	return b
}

// setting is one call of fmi2SetDebugLogging.
type setting struct {
	on    bool
	names []string
}

func TestSetDebugLogging_WhichCategoriesShow(t *testing.T) {
	only := func(names ...string) []string { return append([]string{}, names...) }
	all := []string{"logStatusWarning", "logStatusDiscard", "logStatusError", "logStatusFatal",
		"logAll", "logCart"}
	// the reason for a failure is logged unless the host asked for silence
	failures := only("logStatusError", "logStatusFatal")
	none := only()
	for _, c := range []struct {
		name      string
		loggingOn bool
		settings  []setting
		want      []string
	}{
		{"loggingOn", true, nil, all},
		{"off", false, nil, failures},
		{"all on", false, []setting{{true, nil}}, all},
		{"all off is silence", true, []setting{{false, nil}}, none},
		{"silence asked for twice", true, []setting{{false, nil}, {false, nil}}, none},
		{"on by name shows only these", true, []setting{{true, only("logCart")}}, only("logCart")},
		{"on by name from off", false, []setting{{true, only("logCart", "logStatusDiscard")}},
			only("logStatusDiscard", "logCart")},
		{"the newest choice counts", true, []setting{{true, only("logCart")},
			{true, only("logStatusDiscard")}}, only("logStatusDiscard")},
		{"off by name hides these", true, []setting{{false, only("logCart", "logAll")}}, none},
		{"off by name keeps the rest", true,
			[]setting{{false, only("logCart", "logStatusDiscard")}},
			only("logStatusWarning", "logStatusError", "logStatusFatal", "logAll")},
		{"off by name after silence", true, []setting{{false, nil}, {false, only("logCart")}},
			none},
		{"errors off by name", false, []setting{{false, only("logStatusError")}},
			only("logStatusFatal")},
		{"logAll on", false, []setting{{true, only("logAll")}}, all},
		{"logAll off is silence", false, []setting{{false, only("logAll")}}, none},
		{"logAll on after silence", true, []setting{{false, nil}, {true, only("logAll")}}, all},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := logging(t, c.loggingOn)
			for _, s := range c.settings {
				require.Equal(t, fmi.OK, b.SetDebugLogging(s.on, s.names))
			}
			require.Empty(t, b.log.Drain())
			require.Equal(t, c.want, shown(b, all))
		})
	}
}

// shown logs a line in every category, with the status that belongs to it, and lists the lines that
// were delivered.
func shown(b *bench, categories []string) []string {
	status := map[string]fmi.Status{"logStatusWarning": fmi.Warning,
		"logStatusDiscard": fmi.Discard, "logStatusError": fmi.Error, "logStatusFatal": fmi.Fatal}
	for _, category := range categories {
		b.model.Log(status[category], category, "text")
	}
	seen := []string{}
	for _, line := range b.log.Drain() {
		seen = append(seen, line.Category)
	}
	return seen
}

func TestSetDebugLogging_UnknownCategoryChangesNothing(t *testing.T) {
	b := logging(t, true)
	require.Equal(t, fmi.Error, b.SetDebugLogging(false, []string{"logCart", "logNonsense"}))
	oneLine(t, b.log, fmi.Error,
		`fmi2SetDebugLogging: category: wrong argument: found "logNonsense"`,
		"one of logStatusWarning, logStatusDiscard, logStatusError, logStatusFatal, "+
			"logAll, logCart")
	b.model.Log(fmi.OK, "logCart", "still shown")
	require.Len(t, b.log.Drain(), 1)
}

func TestLog_CategoryIsAlwaysADeclaredOne(t *testing.T) {
	b := logging(t, true)
	b.model.Log(fmi.OK, "logTypo", "text")
	require.Equal(t, []fmu.Message{{Status: fmi.OK, Category: "logAll", Text: "text"}},
		b.log.Drain())
}

func TestLog_FailureIsLoggedWithDebugLoggingOff(t *testing.T) {
	b := logging(t, false)
	require.Equal(t, fmi.Error, b.CancelStep())
	oneLine(t, b.log, fmi.Error, "fmi2CancelStep")
	require.Equal(t, fmi.Fatal, b.Panicked(fmu.GetReal, "boom"))
	oneLine(t, b.log, fmi.Fatal, "boom")
}

// A warning during initialization reaches a host that has not switched logging on. A warning of a
// step does not; after fmi2SetDebugLogging(false), neither of them does.
func TestLog_WarningOfTheInitializationIsShownWithDebugLoggingOff(t *testing.T) {
	for _, silent := range []bool{false, true} {
		for _, read := range []bool{false, true} {
			b := logging(t, false)
			if silent {
				require.Equal(t, fmi.OK, b.SetDebugLogging(false, nil))
			}
			b.model.OnInitialize = func(timebase.Time) error { return fmu.AsWarning(errTest) }
			b.model.OnStep = func(timebase.Span) error { return fmu.AsWarning(errTest) }
			require.Equal(t, fmi.OK, b.SetupExperiment(fmu.ExperimentSetup{}))
			require.Equal(t, fmi.OK, b.EnterInitializationMode())
			if read {
				require.Equal(t, fmi.Warning, b.GetReal(refs(realReach), make([]float64, 1)))
			}
			require.LessOrEqual(t, b.ExitInitializationMode(), fmi.Warning)
			if lines := b.log.Drain(); silent {
				require.Empty(t, lines)
			} else {
				require.Len(t, lines, 1)
				require.Contains(t, lines[0].Text, errTest.Error())
			}
			require.Equal(t, fmi.Warning, b.DoStep(0, 1))
			require.Empty(t, b.log.Drain())
		}
	}
}

func TestLog_TextIsSafeForTheHost(t *testing.T) {
	long := strings.Repeat("0123456789abcdé%", 4096)
	for _, c := range []struct{ name, text, want string }{
		{"plain", "100 % of %s", "100 % of %s"}, // '%' is doubled at the C boundary
		{"hash", "row #3: #r12#", "row ##3: ##r12##"},
		{"NUL", "a\x00b", "a\uFFFDb"},
		{"invalid UTF-8", "a\xff\xfeb\xc3", "a\uFFFDb\uFFFD"},
		{"trailing newlines", "a\n\n", "a"},
		{"inner newline", "a\nb", "a\nb"},
		{"empty", "", ""},
		{"64 KiB", long, long},
		{"umlaut", "Übergröße \U0001F697", "Übergröße \U0001F697"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := logging(t, true)
			b.model.Log(fmi.OK, "logCart", c.text)
			require.Equal(t, []fmu.Message{{Status: fmi.OK, Category: "logCart", Text: c.want}},
				b.log.Drain())
		})
	}
}

func TestLog_TextOfAnErrorIsSafeToo(t *testing.T) {
	b := logging(t, true)
	require.Equal(t, fmi.Error, b.SetDebugLogging(true, []string{"#\x00\xff\n"}))
	lines := b.log.Drain()
	require.Len(t, lines, 1)
	require.True(t, utf8.ValidString(lines[0].Text))
	require.NotContains(t, lines[0].Text, "\x00")
	require.Zero(t, strings.Count(lines[0].Text, "#")%2)
}

func TestLog_NobodyListens(t *testing.T) {
	d := testDefinition(func(h fmu.Host) fmu.Model {
		h.Log(fmi.Error, "logCart", "x")
		return &mock.Model{}
	})
	i, err := fmu.Instantiate(d, fmu.Config{InstanceName: "cart", GUID: guid, LoggingOn: true})
	require.NoError(t, err)
	require.Equal(t, fmi.Error, i.CancelStep())
	_, err = fmu.Instantiate(d, fmu.Config{})
	require.Error(t, err)
}

func TestCategories_StandardOnesFirst(t *testing.T) {
	names := ""
	for _, c := range testDefinition(newCart).Categories() {
		require.NotEmpty(t, c.Description)
		names += fmt.Sprint(c.Name, " ")
	}
	require.Equal(t,
		"logStatusWarning logStatusDiscard logStatusError logStatusFatal logAll logCart ", names)
}
