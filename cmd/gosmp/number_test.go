package main

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"gosmp/cmd/gosmp/internal/cli"
)

// numeric reports whether a flag takes a number.
func numeric(v *kong.Value) bool {
	t := v.Target.Type()
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64
}

// TestNumbers_OfAllFlags passes words that are not numbers to every numeric flag of every command. All
// errors name the flag, what was found, and what was expected.
func TestNumbers_OfAllFlags(t *testing.T) {
	count := 0
	for _, command := range newParser().Model.Leaves(false) {
		for _, f := range command.Flags {
			if !numeric(f.Value) {
				continue
			}
			count++
			for _, c := range []struct{ words, found string }{
				{"=many", `"many"`}, {"=", `""`}, {"=1,5", `"1,5"`}, {"=NaN", `"NaN"`},
				{" --help-me", "the flag --help-me"}, {"", "no value"},
			} {
				line := append(strings.Fields(nameOf(command)),
					strings.SplitN("--"+f.Name+c.words, " ", 2)...)
				_, err := parserFor(line).Parse(line)
				require.Regexp(t, `^--`+f.Name+`: found `+c.found+`, expected (a|seconds)\b`,
					err, "%q", line)
				require.Equal(t, cli.ExitInput, cli.ExitCode(err), "%q", line)
			}
		}
	}
	require.Greater(t, count, 60)
}

// TestNumbers_MayBeNegative: a number with a sign needs no equals sign. Flags for numbers that
// cannot be negative name their limits.
func TestNumbers_MayBeNegative(t *testing.T) {
	var c struct {
		Float    float64
		Whole    []int
		Positive uint8
		Pointer  *float64
		Wait     time.Duration
		Stop     cli.Seconds
	}
	_, err := parserOf(&c).Parse(strings.Fields("--float -.5e1 --whole -3,4 --whole 5 --pointer " +
		"-0.25 --wait 3s --stop -1/4 --positive 16"))
	require.NoError(t, err)
	require.Equal(t, -5.0, c.Float)
	require.Equal(t, []int{-3, 4, 5}, c.Whole)
	require.Equal(t, uint8(16), c.Positive)
	require.Equal(t, -0.25, *c.Pointer)
	require.Equal(t, 3*time.Second, c.Wait)
	require.Equal(t, cli.Seconds(-0.25), c.Stop)
	_, err = parserOf(&c).Parse([]string{"--positive", "-3"})
	require.EqualError(t, err, `--positive: found "-3", expected a whole number from 0 to 255`)
	_, err = parserOf(&c).Parse([]string{"--wait", "-3s"})
	require.ErrorContains(t, err, `--wait: found "-3s", expected a time of at least 0s`)
	_, err = parserOf(&c).Parse([]string{"--float", "-x"})
	require.EqualError(t, err, `--float: found the flag -x, expected a number`)
}
