package bridge_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/bridge"
)

// folder writes files to a new folder.
func folder(t *testing.T, files map[string]string) string {
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

// installed contains the files that rosidl installs for a message: the original file, and an IDL
// file generated from it.
var installed = map[string]string{
	"geo/msg/P.msg": "\ufefffloat64 x\nbool ok\nfloat64[9] k\nuint8 mode\n",
	"geo/msg/P.idl": `// generated
#include "std_msgs/msg/Header.idl"
module geo {
  module msg {
    typedef double double__9[9];
    module P_Constants {
      @verbatim (language="comment", text= "how" "\n" "it is")
      const uint8 MODE_A = 1;
    };
    @verbatim (language="comment", text= "a point")
    struct P {
      @unit (value="m")
      double x;
      boolean ok;
      double__9 k;
      uint8 mode;
    };
  };
};
`,
	"geo/msg/Broken.msg": "wchar text\n",
	"geo/msg/Uses.msg":   "Broken b\n",
	"geo/msg/Bad.idl": "module geo { module msg { union U switch(long) { case 1: " +
		"long x; }; }; };",
}

// If the file of a type cannot be read, the error names that file and its line, regardless of the
// file's name and the type's position in it.
func TestAddFolder_NamesTheFileThatCannotBeRead(t *testing.T) {
	d := definitions(t, bridge.DDS)
	require.NoError(t, d.AddFolder(folder(t, map[string]string{
		"Types.idl": "module own {\n  struct Fine { long x; };\n" +
			"  struct Odd { map<long, long> m; };\n  struct Later { long x; };\n};",
		"Uses.idl": "module use { struct Around { own::Later inner; }; };",
	})))
	message(t, d, "own/Fine")
	for _, name := range []string{"own/Odd", "own::Later", "use/Around"} {
		_, err := d.Message(name)
		require.ErrorIs(t, err, bridge.ErrDefinition)
		require.ErrorContains(t, err, "Types.idl:3:", name)
	}
	_, err := d.Message("own/Nowhere")
	require.ErrorContains(t, err, "no definition")
}

// A folder can be used as installed by ROS 2: the .idl next to each .msg is the same message, and
// unusable definitions cause no errors unless a topic uses them. If one does, the error names the
// file and line.
func TestAddFolder_AnInstallation(t *testing.T) {
	d := definitions(t, bridge.ROS2)
	require.NoError(t, d.AddFolder(folder(t, installed)))
	m := message(t, d, "geo/P")
	require.Len(t, m.Fields, 4)
	require.Equal(t, m, message(t, d, "geo::msg::P"))
	for _, name := range []string{"geo/Broken", "geo/msg/Uses", "geo/Bad"} {
		_, err := d.Message(name)
		require.ErrorIs(t, err, bridge.ErrDefinition)
		require.ErrorContains(t, err, ":1:", name)
	}

	// The IDL alone means the same, in both systems.
	want, err := d.Encode(m, map[string]any{"x": 1.5, "ok": true, "k": []any{1.0, 2.0, 3.0, 4.0,
		5.0, 6.0, 7.0, 8.0, 9.0}, "mode": 3.0}, false)
	require.NoError(t, err)
	for _, system := range []bridge.System{bridge.ROS2, bridge.DDS} {
		d := definitions(t, system)
		require.NoError(t,
			d.AddFolder(folder(t, map[string]string{"geo/msg/P.idl": installed["geo/msg/P.idl"]})))
		value, err := d.Decode(message(t, d, "geo/P"), want)
		require.NoError(t, err, system)
		require.Equal(t, 1.5, value["x"])
		require.Len(t, value["k"], 9)
	}
}

// Enums are integers of four bytes, or of the size in their annotation; typedefs are aliases.
func TestAddIDL_EnumsAndTypedefs(t *testing.T) {
	d := definitions(t, bridge.DDS)
	require.NoError(t, d.AddIDL("\ufeffa.idl", `module m {
  enum Gear { PARK, @default_literal REVERSE, NEUTRAL };
  @bit_bound(8) enum Small { A, B };
  typedef sequence<float, 4> Few;
  typedef long Number, Pair[2];
  struct S { Small s; Gear g; m::Gear all[2]; Few few; Number n; Pair p; };
};`))
	m := message(t, d, "m/S")
	value := map[string]any{"s": 1.0, "g": 2.0, "all": []any{1.0, 0.0}, "few": []any{0.5}, "n": 7.0,
		"p": []any{8.0, 9.0}}
	b, err := d.Encode(m, value, false)
	require.NoError(t, err)
	require.Equal(t, []byte{0, 1, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
		0, 0, 0, 0x3f,
		7, 0, 0, 0, 8, 0, 0, 0, 9, 0, 0, 0}, b)
	back, err := d.Decode(m, b)
	require.NoError(t, err)
	require.EqualValues(t, 2, back["g"])
}
