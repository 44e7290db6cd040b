package newmodel

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/build/scaffold"
)

func TestQuestionsTakeDefaultsAndAskAgain(t *testing.T) {
	for name, c := range map[string]struct {
		answers string
		given   int
		kind    string
		inputs  int
		output  string
	}{
		"defaults": {"\n\n", 0, "sensor", 1, "SensorView inputs [1]: "},
		"answers":  {"logical\n4\n", 0, "logical", 4, "SensorData inputs [2]: "},
		"blanks":   {"  plain \n 3 \n", 0, "plain", 3, "Real inputs [1]: "},
		"wrong": {"radar\nsensor\nmany\n0\n2\n", 0, "sensor", 2,
			`expected a number of at least 1, found "many"`},
		"hint": {"radar\n\n\n", 0, "sensor", 1,
			"[sensor]: expected sensor, logical, environment, traffic, plain\n"},
		"given count": {"traffic\n", 5, "traffic", 5, "TrafficCommand in, TrafficUpdate out"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			r := scaffold.Request{Inputs: c.given}
			require.NoError(t, ask(strings.NewReader(c.answers), &out, &r))
			require.Equal(t, c.kind, r.Kind)
			require.Equal(t, c.inputs, r.Inputs)
			require.Contains(t, out.String(), c.output)
		})
	}
}

// The end of the input does not count as an answer, at any question or after a wrong answer.
func TestQuestionsWithoutAnswersCancel(t *testing.T) {
	for _, answers := range []string{"", "\n", "logical\n", "plain", "radar\n", "sensor\nmany\n"} {
		var out bytes.Buffer
		require.ErrorIs(t, ask(strings.NewReader(answers), &out, &scaffold.Request{}), errCancelled,
			"%q", answers)
		require.Regexp(t, `: \n$`, out.String(), "the following text starts on a new line")
	}
	require.NoError(t, ask(strings.NewReader("plain\n2"), io.Discard, &scaffold.Request{}),
		"a line feed may be missing")
}
