//go:build !fmucore

package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/build"
	"gosmp/sensor/dummysensor"
	"gosmp/sensor/simsensor"
)

// carried returns a scenario as the packer passes it to the model.
func carried(t *testing.T, content string) []build.Resource {
	t.Helper()
	path := filepath.Join(t.TempDir(), "drive.csv")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return []build.Resource{{Name: "map.csv", Path: "unused"}, {Name: dummysensor.ScenarioResource,
		Path: path}}
}

// examined returns the warnings and the error of examine.
func examined(t *testing.T, resources []build.Resource, starts ...string) (warnings []string,
	err error) {
	t.Helper()
	d := dummysensor.Definition()
	require.NoError(t, d.OverrideStart(strings.Join(starts, "\n")))
	err = examine(d, resources, func(text string) { warnings = append(warnings, text) })
	return warnings, err
}

// noise returns content that does not resemble a recording, and is the same in every run.
func noise() string {
	bytes := make([]byte, 100_000)
	_, _ = rand.NewChaCha8([32]byte{7}).Read(bytes) // never fails
	return string(bytes)
}

func TestExamine_RefusesScenariosThatCannotBePlayed(t *testing.T) {
	const together = "32,0,280\n1,0,1,2,-9807\n"
	for name, c := range map[string]struct {
		content string
		starts  []string
		kind    error
		texts   []string
	}{
		"random bytes": {noise(), nil, build.ErrInput, []string{"resources/scenario.csv",
			"drive.csv", "no valid one", "expected rows like"}},
		"header only": {"SensorID,Timestamp\n", nil, build.ErrInput,
			[]string{"found a header or blank lines only"}},
		"unit": {"32,0,280\n0\n", []string{"replay.timeUnit=min"}, build.ErrUsage,
			[]string{"replay.timeUnit", `found "min"`,
				`expected one of "auto", "ms", "us", "s", "ns"`}},
		"loop without length": {together, nil, build.ErrInput, []string{"all rows of a round at"}},
		"malformed row with replay.strict": {"32,0,280\n32,10,x\n32,20,281\n",
			[]string{"replay.strict=true"}, build.ErrInput,
			[]string{"drive.csv:2:7", `found "x"`, "expected thermometer",
				"replay.strict refuses"}},
	} {
		t.Run(name, func(t *testing.T) {
			warnings, err := examined(t, carried(t, c.content), c.starts...)
			require.ErrorIs(t, err, c.kind)
			require.Empty(t, warnings)
			for _, text := range c.texts {
				require.ErrorContains(t, err, text)
			}
		})
	}
	warnings, err := examined(t, carried(t, together), "replay.loop=false")
	require.NoError(t, err, "such a file plays once")
	require.Empty(t, warnings)
}

func TestExamine_UnitWithoutAScenario(t *testing.T) {
	_, err := examined(t, nil, "replay.timeUnit=min")
	require.ErrorIs(t, err, build.ErrUsage)
	_, err = examined(t, nil, "replay.timeUnit=us")
	require.NoError(t, err)
}

func TestExamine_OnlyTheScenarioThatPlays(t *testing.T) {
	resources := carried(t, "32,0,280\n32,10,281\n")
	resources = append(resources, build.Resource{Name: "roads/b.csv",
		Path: filepath.Join(t.TempDir(), "gone.csv")})
	_, err := examined(t, resources)
	require.NoError(t, err, "no instance plays the other one")
	_, err = examined(t, resources, "replay.scenarioFile=roads/b.csv")
	require.ErrorContains(t, err, "resources/roads/b.csv")
	_, err = examined(t, resources, "replay.scenarioFile="+filepath.Join(t.TempDir(),
		"elsewhere.csv"))
	require.NoError(t, err, "that is a file of the machine where the FMU runs")
}

// TestExamine_WarnsInTheWordsOfCheck compares the warnings with the report of gosmp check.
func TestExamine_WarnsInTheWordsOfCheck(t *testing.T) {
	content := "SensorID,Timestamp\n" + strings.Repeat("32,x,280\n", 12)
	for _, stamp := range []string{"0", "1000000", "2000000"} { // 1 Hz, in microseconds
		content += "32," + stamp + ",280\n"
	}
	resources := carried(t, content)
	report, err := simsensor.Inspect(resources[1].Path, simsensor.Options{})
	require.NoError(t, err)
	warnings, err := examined(t, resources, "replay.timeUnit=ms")
	require.NoError(t, err, "it can be played")
	require.Len(t, warnings, shownRows+len(report.Oddities)+1)
	for k := range shownRows {
		require.Equal(t, report.Problems[k].Error(), warnings[k])
	}
	for k := range report.Oddities {
		require.Equal(t, report.Oddities[k].Error(), warnings[shownRows+k])
	}
	require.Contains(t, strings.Join(warnings, "\n"), "implausible unit of time")
	require.Contains(t, warnings[len(warnings)-1],
		`2 more malformed rows; "gosmp check -u ms" lists them`)

	warnings, err = examined(t, carried(t, "32,0,280\n32,1000000,281\n0\n"), "replay.timeUnit=us")
	require.NoError(t, err)
	require.Empty(t, warnings)
}
