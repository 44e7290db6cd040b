package generate_test

import (
	"go/parser"
	"go/token"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/bridge"
	"gosmp/bridge/generate"
)

// FuzzGenerate generates code for arbitrary message definitions and checks that it can be parsed.
func FuzzGenerate(f *testing.F) {
	f.Add("Header h\ntime t\nfloat64[3] d\nuint8 KIND=3\n", "/a/b", "own/A")
	f.Add("string<=3 func\nbyte[] type # a comment\nwstring s \"x\"\n", "/type", "func/Type")
	f.Add("int8 A=1\nint8 a\nint8 a_\nint8 _a\n", "/a\"\n", "own/init")
	f.Fuzz(func(t *testing.T, definition, topic, kind string) {
		d, err := bridge.NewDefinitions(bridge.ROS2)
		require.NoError(t, err)
		if d.AddMsg("a.msg", kind, definition) != nil {
			return
		}
		m, err := d.Message(kind)
		if err != nil {
			return
		}
		c := &bridge.Config{System: bridge.ROS2, Definitions: d,
			Topics: []*bridge.Topic{{Name: topic, Message: m}}}
		files, err := generate.Generate(c, generate.Options{Package: "own", Source: topic})
		if err != nil {
			return
		}
		for _, file := range files {
			_, err := parser.ParseFile(token.NewFileSet(), file.Name, file.Data, 0)
			require.NoError(t, err, "%s\n%s", file.Name, file.Data)
		}
	})
}
