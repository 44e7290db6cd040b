package fileuse

import (
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

// folding is a disk that ignores the case of letters in the last part of a name, and
// different spellings of some letters.
var folding = disk{func(name string) (fs.FileInfo, error) {
	entries, err := os.ReadDir(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	spelling := strings.NewReplacer("ß", "ss", "e\u0301", "é")
	for _, e := range entries {
		if strings.EqualFold(spelling.Replace(e.Name()), spelling.Replace(filepath.Base(name))) {
			return os.Stat(filepath.Join(filepath.Dir(name), e.Name()))
		}
	}
	return os.Stat(name)
}}

func write(t *testing.T, name, text string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	return name
}

func TestSame_CaseOfLetters(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("there.csv"), "")
	for _, c := range []struct {
		a, b            string
		plain, foldable bool
	}{
		{"there.csv", "there.csv", true, true},
		{"there.csv", "There.CSV", false, true},
		{"new.csv", "new.csv", true, true},
		{"new.csv", "NEW.csv", false, true},
		{"new.csv", "other.csv", false, false},
		{"n\u00e9w.csv", "ne\u0301w.csv", false, true},
		{"Straße.csv", "strasse.csv", false, true},
		{"é*.csv", "É*.csv", false, true},
		{"\u00e9.csv", "e.csv", false, false},
		{"there.csv", "new.csv", false, false},
	} {
		require.Equal(t, c.plain, onDisk.same(at(c.a), at(c.b)), "%s and %s", c.a, c.b)
		require.Equal(t, c.foldable, folding.same(at(c.a), at(c.b)), "%s and %s", c.a, c.b)
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing is left behind")
	require.False(t, folding.same(at("missing/a.csv"), at("other/A.csv")))
	require.True(t, folding.same(at("missing/a.csv"), at("missing/A.csv")),
		"where it cannot be tried, case is not distinguished")
}

// utf16LE returns a text in UTF-16 with a byte order mark.
func utf16LE(text string) string {
	b := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(text)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return string(b)
}

// A file named by an input is itself an input, no matter where it is found.
func TestNamed_LooksWhereReadersDo(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for _, name := range []string{"lib/car.fmu", "lib/sub/sensor.fmu", "catalogs/cars.xosc",
		"catalogs/notes.txt", "maps/town.xodr", "my body.txt", "defs/pkg/msg/A.msg", "body.dae", "grün.bibi",
		"bare/modelDescription.xml", "lib/unpacked/modelDescription.xml",
		"lib/unpacked/resources/deep/table.csv"} {
		write(t, at(name), "")
	}
	for name, c := range map[string]struct {
		text  string
		named []string
	}{
		"a.ssd": {`<c source="resources/car.fmu"/><c source="sub/sensor.fmu"/>`,
			[]string{"lib/car.fmu", "lib/sub/sensor.fmu"}},
		"b.xosc": {`<Directory path="catalogs"/>`, []string{"catalogs/cars.xosc"}},
		"c.json": {`{"definitions": ["defs"]}`, []string{"defs/pkg/msg/A.msg"}},
		"d.sdf":  {`<uri>body.dae</uri>`, []string{"body.dae"}},
		"e.exc": {`<fmu src="unpacked"/>`, []string{"lib/unpacked/modelDescription.xml",
			"lib/unpacked/resources/deep/table.csv"}},
		"f.exc": {`<fmu src="../lib/../../car.fmu"/>`, []string{"lib/car.fmu"}},
		"g.exc": {`<fmu src="bare"/>`, []string{"bare/modelDescription.xml"}},
		// Files are recognized by their content.
		"h":      {`<bibiConf src="body.dae"/>`, []string{"body.dae"}},
		"i.conf": {`{"definitions": ["defs"]}`, []string{"defs/pkg/msg/A.msg"}},
		"j.csv":  {"seed;experiment\n1;body.dae\n2;body.dae\n", []string{"body.dae"}},
		"k.txt":  {"experiment: body.dae\n", []string{"body.dae"}},
		// Names may be written in other ways.
		"l.yaml": {`experiment: "gr\u00fcn.bibi"`, []string{"grün.bibi"}},
		"m.json": {`{"path": ".\/body\u002edae"}`, []string{"body.dae"}},
		"n.exc": {utf16LE(`<?xml version="1.0" encoding="UTF-16"?><x src="grün.bibi"/>`),
			[]string{"grün.bibi"}},
		"o.exc": {"<?xml version='1.0' encoding='ISO-8859-1'?><x src='gr\xfcn.bibi'/>",
			[]string{"grün.bibi"}},
		"r.xosc": {`<Directory path=".\catalogs"/>`, []string{"catalogs/cars.xosc"}},
		"s.json": {`{"file": "lib\\car.fmu"}`, []string{"lib/car.fmu"}},
		"t.xosc": {`<LogicFile filepath="maps\town"/>`, []string{"maps/town.xodr"}},
		"u.exc":  {`<file><![CDATA[my body.txt]]></file>`, []string{"my body.txt"}},
		"v.yaml": {"file: my body.txt # the shape\n", []string{"my body.txt"}},
		"w.yaml": {"files: [body.dae, my body.txt]\n", []string{"body.dae", "my body.txt"}},
		"y.yaml": {"{file: my body.txt, n: 1}\n", []string{"my body.txt"}},
		"x.csv":  {"a,b\n1,my body.txt,2\n", []string{"my body.txt"}},
		// A map or a file that is not text names no files.
		"p.bin":  {"\x00 body.dae ", nil},
		"q.xodr": {`<road name="body.dae"/>`, nil},
	} {
		var expected []string
		for _, n := range c.named {
			expected = append(expected, at(n))
		}
		require.Equal(t, expected, Named(write(t, at(name), c.text), at("lib")), name)
	}
	require.Empty(t, Named(at("a.ssd")), "without a library")
}

// Names may be relative to the folder of another file of the same experiment, and a folder is a
// name, too.
func TestNamed_FoldersOfOtherFiles(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for name, text := range map[string]string{"parts/p.ssv": "", "parts/p.ssm": "",
		"parts/inner.ssd": "<System/>", "parts/other.ssv": "", "defs/A.msg": ""} {
		write(t, at(name), text)
	}
	outer := write(t, at("outer.ssd"), `<b source="p.ssv" sourceBase="component"/>`+
		`<c source="parts/inner.ssd"/>`)
	require.ElementsMatch(t, []string{at("parts/inner.ssd"), at("parts/p.ssv")}, Named(outer))
	plan := write(t, at("plans/plan.csv"), "system,x\n../outer.ssd,parts/p.ssm\n")
	require.ElementsMatch(t, []string{at("outer.ssd"), at("parts/inner.ssd"), at("parts/p.ssv"),
		at("parts/p.ssm")}, Named(plan))
	require.Equal(t, []string{at("defs/A.msg")}, Named(write(t, at("defs/bridge.json"),
		`{"definitions": ["."]}`)))
}

func TestUse_RefusesWhatIsRead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("lib/car.fmu"), "")
	write(t, at("a.ssd"), `<c source="car.fmu"/>`)
	u := &Use{}
	u.Add("<files>", NamedIn, at("a.ssd"))
	u.Add("--library-path", Library, at("lib"))
	u.Add("--out", Out, at("new.csv"))
	require.NoError(t, u.Check())
	require.NoError(t, u.Free("save", at("state")))
	require.ErrorContains(t, u.Free("save", at("lib/car.fmu")), "save: found")
	u.Add("--report", Out, at("lib/car.fmu"))
	require.ErrorContains(t, u.Check(), "--report: found")
	require.ErrorContains(t, u.Check(), "expected another file, so that nothing is lost")
}

// Standard output may be appended to any file but an input, whether an option or an input names it.
func TestUse_StandardOutputIsNoInput(t *testing.T) {
	dir := t.TempDir()
	map1 := write(t, filepath.Join(dir, "a.xodr"), "<map/>")
	file := write(t, filepath.Join(dir, "a.exc"), `<environment src="a.xodr"/>`)
	appended := func(name string) error {
		f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o666)
		require.NoError(t, err)
		before := os.Stdout
		os.Stdout = f
		defer func() {
			os.Stdout = before
			require.NoError(t, f.Close())
		}()
		var u Use
		u.Add("<files>", In, file)
		return u.Check()
	}
	for _, name := range []string{file, map1} {
		require.ErrorContains(t, appended(name), "standard output: found the file "+`"`+name+`"`)
	}
	require.NoError(t, appended(write(t, filepath.Join(dir, "log"), "older lines")))
	require.NoError(t, appended(filepath.Join(dir, "new")))
}

// A recording that a configuration names is an output, never an input: each run recreates it.
func TestUse_Records(t *testing.T) {
	dir := t.TempDir()
	recording := write(t, filepath.Join(dir, "rec.mcap"), "")
	config := write(t, filepath.Join(dir, "bridge.json"), `{"path": "rec.mcap"}`)
	u := &Use{}
	u.Add("--bridge", In, config)
	u.Records("--bridge", recording)
	require.NoError(t, u.Check())
	twice := *u
	twice.Add("--record", Out, recording)
	require.ErrorContains(t, twice.Check(), "which --bridge writes, too")
	u.Add("--input-messages", In, recording)
	require.ErrorContains(t, u.Check(), "which --input-messages reads")
}

// A file that is created in a folder is an output like others.
func TestUse_FilesOfFolders(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("results/rows.csv"), "")
	u := &Use{}
	u.Make("--out", at("results"), "rows.csv", "rows.json")
	require.NoError(t, u.Check())
	for _, name := range []string{"rows.csv", "rows.json"} {
		twice := *u
		twice.Add("--junit", Out, at("results/"+name))
		require.ErrorContains(t, twice.Check(), "--junit: found ")
		require.ErrorContains(t, twice.Check(), "which --out writes, too")
	}
	twice := *u
	twice.Make("--copy", at("results"), "rows.csv")
	require.ErrorContains(t, twice.Check(), "--copy: found ")
	u.Add("--junit", Out, at("results/junit.xml"))
	require.NoError(t, u.Check())
}

// A file that may be created in a folder is guarded like others, but not tried.
func TestUse_FilesThatMayBeCreated(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.MkdirAll(at("results/case-1/notes"), 0o777))
	write(t, at("results/rows.csv"), "")
	u := &Use{}
	u.MayMake("--out", at("results"), "rows.csv", "case-1/notes")
	require.True(t, u.Writes())
	require.NoError(t, u.Check())
	twice := *u
	twice.Add("--junit", Out, at("results/rows.csv"))
	require.ErrorContains(t, twice.Check(), "which --out writes, too")
	u.Add("<files>", In, at("results/rows.csv"))
	require.ErrorContains(t, u.Check(), "which <files> reads")
	always := &Use{}
	always.Make("--out", at("results"), "case-1/notes")
	require.ErrorContains(t, always.Check(), "is a directory")
}

// Each folder is tried once, for any number of files in it.
func TestTry_EachFolderOnce(t *testing.T) {
	dir := t.TempDir()
	tried := folders{}
	for _, name := range []string{"a.csv", "b.csv", "sub/c.csv"} {
		require.NoError(t, tried.file(write(t, filepath.Join(dir, name), "old")))
	}
	require.NoError(t, tried.folder(dir))
	require.Equal(t, folders{dir: nil, filepath.Join(dir, "sub"): nil}, tried)
	tried[dir] = &fs.PathError{Op: "write", Path: ".gosmp-try-1", Err: syscall.ENOSPC}
	for _, name := range []string{"a.csv", "new.csv"} { // the result is used again
		require.EqualError(t, tried.file(filepath.Join(dir, name)),
			"write "+filepath.Join(dir, name)+": no space left on device")
	}
}

// Errors name the output rather than the file used to test the folder.
func TestTry_NamesTheOutput(t *testing.T) {
	dir := t.TempDir()
	require.EqualError(t, folders{}.in(filepath.Join(dir, "none"), "out.csv"),
		"open out.csv: no such file or directory")
	full := &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	require.EqualError(t, refused(file{"--out", "x"}, full),
		"--out: write x: no space left on device")
	require.True(t, IsFull(refused(file{"--out", "x"}, full)))
}

// TestWords_LeavesOutNumbers: words that are numbers only in Go may be names of files.
func TestWords_LeavesOutNumbers(t *testing.T) {
	found := slices.Collect(words("1.5,-2e3,0x1p3,1_0,inf,+7", &hints{every: true}))
	for _, name := range []string{"0x1p3", "1_0", "inf"} {
		require.Contains(t, found, name)
	}
	for _, number := range []string{"1.5", "-2e3", "+7"} {
		require.NotContains(t, found, number)
	}
}

func TestTexts(t *testing.T) {
	type pair struct{ Name, Value string }
	value := "pointer"
	for _, c := range []struct {
		of    any
		texts []string
	}{
		{"a", []string{"a"}}, {[]string{"a", "b"}, []string{"a", "b"}}, {&value,
			[]string{"pointer"}}, {(*string)(nil), nil}, {3, nil},
		{[]pair{{"n", "v"}}, []string{"v"}},
	} {
		require.Equal(t, c.texts, Texts(reflect.ValueOf(c.of)))
	}
}
