package host_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// TestLog_TextsThatLoggersTripOver uses names of scenario files that do not exist. Each name has to
// appear in one line that is safe for printf and for a host that expands references, whatever its
// characters and length.
func TestLog_TextsThatLoggersTripOver(t *testing.T) {
	i := newImporter(t)
	for what, text := range map[string]struct{ name, shown string }{
		"percent":       {"100 % of %s, %n and %5000000d.csv", "100 % of %s, %n and %5000000d.csv"},
		"number sign":   {"#r1# #.csv", "##r1## ##.csv"},
		"umlauts":       {"Größe, ünïcode, 日本.csv", "Größe, ünïcode, 日本.csv"},
		"invalid UTF-8": {"a\xff\xfeb\xc3.csv", "a\uFFFDb\uFFFD.csv"},
		"long": {strings.Repeat("ä%#", 13_200) + ".csv", strings.Repeat("ä%##", 13_200) +
			".csv"},
	} {
		t.Run(what, func(t *testing.T) {
			answers := i.script(t).new("%s #i0# ü", true).set("replay.scenarioFile", "/nowhere/"+
				text.name).initialize().play(t)
			last := answers[len(answers)-1]
			require.Equal(t, "error", last.text)
			require.Len(t, last.log, 1)
			line := last.log[0]
			require.Equal(t, []string{"error", "logStatusError", "%s #i0# ü"}, []string{line.status,
				line.category, line.instance})
			require.True(t, utf8.ValidString(line.text))
			require.Contains(t, line.text, "/nowhere/"+text.shown)
			if what == "long" {
				require.Greater(t, len(line.text), 64<<10)
			}
		})
	}
}

// oddRecording contains rows with several kinds of mistakes.
func oddRecording(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "odd.csv")
	require.NoError(t, os.WriteFile(path,
		[]byte("32,0,280\n32,10,x\n99,20,1\n32,30,281\n32,20,282\n32,40,283,7\n"), 0o600))
	return path
}

// provoke makes an instance log in as many categories as bad input can trigger, after
// fmi2SetDebugLogging if it has arguments.
func (i importer) provoke(t *testing.T, recording string, debug ...any) (lines []heard) {
	t.Helper()
	s := i.script(t).new("odd", true)
	if debug != nil {
		s.call(append([]any{"debug"}, debug...)...)
	}
	s.set("replay.scenarioFile", recording).set("replay.loop", 0).initialize()
	// contradictory
	s.set("OSMPSensorViewIn.base.lo", 1).set("OSMPSensorViewIn.size", -5).steps(0, 3)
	s.call("step", 7, 0.02)
	for _, a := range s.play(t) {
		lines = append(lines, a.log...)
	}
	return lines
}

func keep(lines []heard, wanted func(category string) bool) (kept []heard) {
	for _, l := range lines {
		if wanted(l.category) {
			kept = append(kept, l)
		}
	}
	return kept
}

// TestLog_EachCategoryCanBeSwitched turns on one category at a time, then turns off one at a time,
// and compares the lines with the lines of all categories.
func TestLog_EachCategoryCanBeSwitched(t *testing.T) {
	i := newImporter(t)
	recording := oddRecording(t)
	all := i.provoke(t, recording)
	require.Equal(t, all, i.provoke(t, recording, 1))
	require.Empty(t, i.provoke(t, recording, 0), "nothing when logging is off")
	var spoke []string
	require.GreaterOrEqual(t, len(i.LogCategories), 5)
	for _, c := range i.LogCategories {
		if c.Name == "logAll" {
			require.Equal(t, all, i.provoke(t, recording, 1, c.Name))
			require.Empty(t, i.provoke(t, recording, 0, c.Name))
			continue
		}
		only := keep(all, func(name string) bool { return name == c.Name })
		require.Equal(t, only, i.provoke(t, recording, 1, c.Name), "%s alone", c.Name)
		others := keep(all, func(name string) bool { return name != c.Name })
		require.Equal(t, others, i.provoke(t, recording, 0, c.Name), "all but %s", c.Name)
		if len(only) > 0 {
			spoke = append(spoke, c.Name)
		}
	}
	require.Contains(t, spoke, "logStatusError")
	require.Contains(t, spoke, "simsensor")
	require.Contains(t, spoke, "OSMP")
	t.Logf("%d lines in %v", len(all), spoke)
}

// TestLog_MessagesNameVariableFoundAndWanted sets every variable to values that it does not accept.
// The only log line has to contain its name, the value found and the one expected.
func TestLog_MessagesNameVariableFoundAndWanted(t *testing.T) {
	i := newImporter(t)
	checked := 0
	refuse := func(s *script, words ...string) {
		t.Helper()
		answers := s.play(t)
		first := slices.IndexFunc(answers, func(a answer) bool { return a.text != "ok" })
		require.GreaterOrEqual(t, first, 0, "%v was accepted", words)
		require.Equal(t, "error", answers[first].text, words)
		require.Len(t, answers[first].log, 1, words)
		for _, word := range words {
			require.Contains(t, answers[first].log[0].text, word)
		}
		checked++
	}
	outside := func(bound string, by float64) string {
		x, err := strconv.ParseFloat(bound, 64)
		require.NoError(t, err)
		return strconv.FormatFloat(x+by, 'g', -1, 64)
	}
	for k := range i.Variables {
		v := &i.Variables[k]
		begin := func() *script { return i.script(t).new("dut", true) }
		if v.Causality != "parameter" && v.Causality != "input" {
			refuse(begin().initialize().set(v.Name, 1), v.Name, string(v.Causality))
			continue
		}
		if v.Min != "" {
			refuse(begin().set(v.Name, outside(v.Min, -1)), v.Name, outside(v.Min, -1), v.Min)
		}
		if v.Max != "" {
			refuse(begin().set(v.Name, outside(v.Max, 1)), v.Name, outside(v.Max, 1), v.Max)
		}
		if kind(v) == "R" {
			refuse(begin().set(v.Name, "nan"), v.Name, "NaN", "finite")
		}
		if v.Causality == "parameter" && v.Variability != "tunable" {
			refuse(begin().initialize().set(v.Name, 1), v.Name, string(v.Variability),
				"step complete")
		}
	}
	for name, wrong := range map[string][]string{
		"replay.timeUnit": {"min", "ms", "us"}, "imu.axes": {"NED", "FRD", "FLU"},
	} {
		refuse(i.script(t).new("dut", true).set(name, wrong[0]).initialize(), append([]string{name},
			wrong...)...)
	}
	require.Greater(t, checked, 100)
	t.Logf("%d messages", checked)
}
