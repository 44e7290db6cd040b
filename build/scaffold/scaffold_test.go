package scaffold

import (
	"context"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// complete completes a request for a module in a folder that does not exist yet.
func complete(t *testing.T, r Request) Request {
	t.Helper()
	if r.Folder == "" {
		r.Folder = filepath.Join(t.TempDir(), "made")
	}
	require.NoError(t, r.Complete())
	var err error
	r.Gosmp, err = Locate(context.Background(), "")
	require.NoError(t, err)
	return r
}

func TestIdentifier(t *testing.T) {
	for name, want := range map[string]string{
		"mysensor": "Mysensor", "my-radar_2": "MyRadar2", "MySensor": "MySensor",
		"example.org/x/long.range-lidar": "LongRangeLidar",
		"a":                              "A", "3d": "3d", "_": "",
	} {
		require.Equal(t, want, Identifier(name), name)
	}
}

func TestRequest_Complete(t *testing.T) {
	r := Request{Name: "example.org/my-fusion", Kind: "logical"}
	require.NoError(t, r.Complete())
	require.True(t, filepath.IsAbs(r.Folder))
	require.Equal(t, "my-fusion", filepath.Base(r.Folder))
	r.Folder = ""
	require.Equal(t, Request{Name: "example.org/my-fusion", Kind: "logical", Inputs: 2, Outputs: 1,
		Identifier: "MyFusion", FMI: 2}, r)

	r = Request{Name: "m"}
	require.NoError(t, r.Complete())
	require.Equal(t, "sensor", r.Kind, "the first kind is the default")
	for kind, want := range map[string]int{"sensor": 1, "logical": 1, "environment": 3,
		"traffic": 3, "plain": 3} {
		r = Request{Name: "m", Kind: kind, Inputs: 3}
		require.NoError(t, r.Complete())
		require.Equal(t, want, r.Outputs, kind)
	}
}

func TestRequest_RefusesMistakes(t *testing.T) {
	for text, r := range map[string]Request{
		`"": wrong usage: found a name that is not one, expected`:          {},
		`"my sensor": wrong usage: found a name that is not one, expected`: {Name: "my sensor"},
		`"/abs": wrong usage: found a name that is not one, expected`:      {Name: "/abs"},
		`"../up": wrong usage: found a name that is not one, expected`:     {Name: "../up"},
		`"a/": wrong usage: found a name that is not one, expected`:        {Name: "a/"},
		`"a.": wrong usage: found a name that is not one, expected`:        {Name: "a."},
		`"sensör": wrong usage: found a name that is not one, expected`:    {Name: "sensör"},
		`"` + own + `/mine": wrong usage: found a name that is taken`:      {Name: own + "/mine"},
		`"cmd": wrong usage: found a name that is taken`:                   {Name: "cmd"},
		`--identifier: wrong usage: found "", which cannot name an FMU`:    {Name: "_"},
		`--identifier: wrong usage: found "3d", which cannot name an FMU`:  {Name: "3d"},
		`--identifier: wrong usage: found "A-B", which cannot name an FMU`: {Name: "a",
			Identifier: "A-B"},
		`at most 100 characters`: {Name: strings.Repeat("a", 101)},
		`--kind: wrong usage: found "radar", expected sensor, `: {Name: "a",
			Kind: "radar"},
		`--inputs: wrong usage: found 100 inputs, expected 1 to 99`: {Name: "a",
			Inputs: 100},
		`--inputs: wrong usage: found -1 inputs`: {Name: "a",
			Inputs: -1},
		`expected 1 to 2 for a sensor model with 2 SensorView inputs; declare more`: {Name: "a",
			Inputs: 2, Outputs: 3},
		`expected 1 for a logical model with 2 SensorData inputs; declare more`: {Name: "a",
			Kind: "logical", Outputs: 2},
		`expected 1 for a model of plain numbers with 1 Real input; declare`: {Name: "a",
			Kind: "plain", Outputs: 2},
		`expected 3 for an environmental effect model with 3 SensorView inputs; `: {Name: "a",
			Kind: "environment", Inputs: 3, Outputs: 2},
	} {
		err := r.Complete()
		require.ErrorIs(t, err, ErrUsage, text)
		require.ErrorContains(t, err, text)
		var e *Error
		require.ErrorAs(t, err, &e)
		require.NotEmpty(t, e.Expected)
	}
}

// The go command refuses each of these names or gives it another meaning, mostly not until the
// module is built.
func TestRequest_RefusesNamesThatGoCannotUse(t *testing.T) {
	for name, why := range map[string]string{
		"go": "special meaning", "toolchain": "special meaning", "C": "special meaning",
		"all": "special meaning", "main": "special meaning",
		"tool": "special meaning", "work": "special meaning", "std": "taken", "cmd/x": "taken",
		"main.go": "a file", "model_test.go": "a file",
		"con": `"con", which is a device`, "example.org/NUL": `"NUL", which is a device`,
		"com1.d/x": `"com1.d", which is a device`,
		"lpt9":     "a device", "aux.x": "a device", "PRN": "a device",
		"a~1": `"a~1", which looks like a short name`, "example.org/long~12.x": "a short name",
		"internal": `"internal", which hides packages`, "example.org/vendor/x": `"vendor", which hides packages`,
		"example.org/-x": "not one", "example.org/.x": "not one", "a./b": "not one",
	} {
		err := (&Request{Name: name, Identifier: "A"}).Complete()
		require.ErrorIs(t, err, ErrUsage, name)
		require.ErrorContains(t, err, why, name)
		require.ErrorContains(t, err, "such as mysensor", name)
	}
	for _, name := range []string{
		"example.org/go", "example.org/C", "example.org/all", "example.org/main",
		"example.org/x.go", "c", "console", "com", "com0",
		"lpt10", "a~b", "a~", "~1a", "test", "example", "internals", "x/v2", "v2", "_x", "x-y",
		"init",
	} {
		require.NoError(t, (&Request{Name: name, Identifier: "A"}).Complete(), name)
	}
}

func TestWrite_RefusesNamesOfNeededModules(t *testing.T) {
	r := complete(t, Request{Name: "google.golang.org/protobuf"})
	_, err := Write(context.Background(), r)
	require.ErrorIs(t, err, ErrUsage)
	require.NoDirExists(t, r.Folder)
}

func TestRender_FormatsEveryKindAndRepeats(t *testing.T) {
	for _, kind := range Kinds() {
		for _, inputs := range []int{1, 3} {
			r := complete(t, Request{Name: "example.org/a-name", Kind: kind.Name, Inputs: inputs})
			first, err := render(context.Background(), r, kind)
			require.NoError(t, err)
			second, err := render(context.Background(), r, kind)
			require.NoError(t, err)
			require.Equal(t, first, second)
			for _, f := range first {
				require.NotContains(t, string(f.data), "«", f.name)
				require.NotContains(t, string(f.data), "<no value>", f.name)
				require.True(t, strings.HasSuffix(string(f.data), "\n") &&
					!strings.HasSuffix(string(f.data), "\n\n"), f.name)
				if strings.HasSuffix(f.name, ".go") {
					formatted, err := format.Source(f.data)
					require.NoError(t, err)
					require.Equal(t, string(formatted), string(f.data), f.name)
					for line := range strings.Lines(string(f.data)) {
						require.LessOrEqual(t, len(strings.ReplaceAll(line, "\t", "    ")), 145,
							f.name)
					}
				}
			}
		}
	}
}

func TestWrite_OnlyIntoEmptyFolders(t *testing.T) {
	r := complete(t, Request{Name: "a", Folder: t.TempDir()})
	made, err := Write(context.Background(), r)
	require.NoError(t, err)
	require.Equal(t, "a sensor model, 1 SensorView in, 1 SensorData out", made.Summary)
	entries, err := os.ReadDir(r.Folder)
	require.NoError(t, err)
	require.Len(t, entries, len(made.Files))

	before, err := os.ReadFile(filepath.Join(r.Folder, "main.go"))
	require.NoError(t, err)
	_, err = Write(context.Background(), complete(t, Request{Name: "b", Folder: r.Folder}))
	require.ErrorIs(t, err, ErrTaken)
	var e *Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "an empty folder", e.Expected)
	after, err := os.ReadFile(filepath.Join(r.Folder, "main.go"))
	require.NoError(t, err)
	require.Equal(t, before, after)
}

func TestWrite_LeavesNothingAfterAFailure(t *testing.T) {
	r := complete(t, Request{Name: "a"})
	r.Gosmp = t.TempDir()
	_, err := Write(context.Background(), r)
	require.ErrorIs(t, err, ErrGosmp)
	require.NoDirExists(t, r.Folder)

	r.Folder = t.TempDir()
	_, err = Write(context.Background(), r)
	require.ErrorIs(t, err, ErrGosmp)
	require.DirExists(t, r.Folder, "a folder that was there stays")
	entries, err := os.ReadDir(r.Folder)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestWrite_LeavesNothingWhenInterrupted(t *testing.T) {
	r := complete(t, Request{Name: "a"})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Write(ctx, r)
	require.Error(t, err)
	require.NoDirExists(t, r.Folder)
}

func TestLocate_WithoutAModuleAround(t *testing.T) {
	if built() == "" {
		t.Skip("a test built with -trimpath does not contain the path of its source")
	}
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	for _, folder := range []string{".", t.TempDir()} {
		t.Chdir(folder)
		found, err := Locate(context.Background(), "")
		require.NoError(t, err)
		require.Equal(t, root, found)
	}
	found, err := Locate(context.Background(), root)
	require.NoError(t, err)
	require.Equal(t, root, found)
}

func TestLocate_NamesAMissingGo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Locate(context.Background(), "")
	require.ErrorIs(t, err, ErrTool)
	require.ErrorContains(t, err, "https://go.dev/dl")
}

func TestQuoted(t *testing.T) {
	require.Equal(t, "/home/me/gosmp", quoted("/home/me/gosmp"))
	require.Equal(t, `"/home/me/my gosmp"`, quoted("/home/me/my gosmp"))
}
