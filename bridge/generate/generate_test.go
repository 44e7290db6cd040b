package generate_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/bridge"
	"gosmp/bridge/generate"
)

// The example is the generator's output; its own tests are the loopback test.
func TestGenerate_Example(t *testing.T) {
	folder := filepath.Join("..", "..", "examples", "bridge")
	config, err := bridge.ReadConfig(filepath.Join(folder, "bridge.json"))
	require.NoError(t, err)
	files, err := generate.Generate(config, generate.Options{Package: "main",
		Source: "bridge.json"})
	require.NoError(t, err)
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
		require.Equal(t, f.Name == "main.go", f.Once)
		golden, err := os.ReadFile(filepath.Join(folder, f.Name))
		require.NoError(t, err)
		require.Equal(t, string(golden), string(f.Data),
			"gosmp bridge generate -o examples/bridge examples/bridge/bridge.json")
	}
	require.Equal(t, []string{"codec.go", "loopback_test.go", "main.go", "table.go", "types.go"},
		names)
}

// The table in the code reproduces the configuration for each system.
func TestTable_MakesTheConfiguration(t *testing.T) {
	for system, add := range map[bridge.System]func(*bridge.Definitions) error{
		bridge.ROS1: func(d *bridge.Definitions) error {
			return d.AddMsg("a.msg", "own/A", "Header h\ntime t\nduration[] d\n")
		},
		bridge.ROS2: func(d *bridge.Definitions) error {
			return d.AddMsg("a.msg", "own/A", "byte b # a comment\nint8[<=2] c\n")
		},
		bridge.DDS: func(d *bridge.Definitions) error {
			return d.AddIDL("a.idl",
				"module own { struct B { octet x; }; struct A { sequence<B, 3> y; string<7> z; "+
					"long long int w[2]; }; };")
		},
	} {
		d, err := bridge.NewDefinitions(system)
		require.NoError(t, err)
		require.NoError(t, add(d))
		m, err := d.Message("own/A")
		require.NoError(t, err)
		c := &bridge.Config{System: system, Definitions: d,
			Transport: bridge.Transport{Kind: "loopback"},
			Topics:    []*bridge.Topic{{Name: "/a", Message: m, Direction: bridge.Up, Vehicle: "traffic", Event: "a"}}}
		again, err := c.Table().Config()
		require.NoError(t, err, "%s", system)
		require.Equal(t, c.Table(), again.Table())
		require.Equal(t, system, again.Definitions.System)
		one, err := d.Encode(m, nil, false)
		require.NoError(t, err)
		other, err := again.Definitions.Encode(again.Topics[0].Message, nil, false)
		require.NoError(t, err)
		require.Equal(t, one, other)
	}
	_, err := bridge.Table{System: bridge.ROS2, Messages: []bridge.Definition{{Name: "own/A",
		Text: "wchar x"}}}.Config()
	require.ErrorIs(t, err, bridge.ErrDefinition)
	_, err = bridge.Table{System: bridge.ROS2, Topics: []bridge.Entry{{Name: "/a",
		Type: "own/A"}}}.Config()
	require.ErrorContains(t, err, "topic /a: own/A")
}

// A package other than main gets only types and codecs, which parse.
func TestGenerate_Package(t *testing.T) {
	config, err := bridge.ParseConfig("c.json",
		[]byte(`{"bridge": 1, "system": "ros2", "messages": [
		{"topic": "/e", "type": "std_msgs/Empty", "direction": "up", "vehicle": "sut", "event": "e"}]}`))
	require.NoError(t, err)
	files, err := generate.Generate(config, generate.Options{Package: "own", Source: "c.json"})
	require.NoError(t, err)
	require.Len(t, files, 3)
	for _, f := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Data, parser.AllErrors)
		require.NoError(t, err)
		require.Equal(t, "own", parsed.Name.Name)
		require.NotContains(t, string(f.Data), "system)")
	}
}
