package ddspeers

import (
	"encoding/hex"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/bridge"
)

// types holds the types of types_cyclone.py.
const types = `module lab {
  enum Color { RED, @value(5) GREEN, BLUE };
  module inner {
    @final struct Deep { short a; };
    @final union Choice switch (Color) {
      case RED: long number;
      case GREEN: case BLUE: string text;
      default: Deep deep;
    };
  };
  @final union Maybe switch (boolean) { case TRUE: double amount; };
  typedef sequence<long> Row;
  typedef long Grid[2][3];
  @final struct Top {
    octet first; inner::Choice choice; sequence<inner::Choice, 4> choices; Maybe maybe;
    sequence<Row> rows; Grid grid; sequence<inner::Deep> deeps; sequence<sequence<string>> texts;
    long a;
  };
};`

// Unions, enums and lists of lists have the same bytes as the classes of Cyclone DDS, which reads
// them.
func TestCyclone_Types(t *testing.T) {
	python := interpreters(t, "cyclonedds")[0]
	d, err := bridge.NewDefinitions(bridge.DDS)
	require.NoError(t, err)
	require.NoError(t, d.AddIDL("lab.idl", types))
	m, err := d.Message("lab::Top")
	require.NoError(t, err)
	b, err := d.Encode(m, map[string]any{"first": 7, "choice": map[string]any{"text": "hi"},
		"choices": []any{map[string]any{"number": -2}}, "rows": []any{[]any{1, 2}, []any{}},
		"grid":  []any{[]any{1, 2, 3}, []any{4, 5, 6}},
		"deeps": []any{map[string]any{"a": 9}}, "texts": []any{[]any{"x"}}, "a": -1}, false)
	require.NoError(t, err)
	ours := hex.EncodeToString(b)
	out, err := exec.Command(python, "types_cyclone.py", ours).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, ours+" hi -2 [[1, 2], []] [[1, 2, 3], [4, 5, 6]] [['x']]",
		strings.TrimSpace(string(out)))
}
