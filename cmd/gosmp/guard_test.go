package main

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/guard"
	"gosmp/run/fileuse"
)

// textual reports whether the values of a flag or an argument are strings, which may be file names.
func textual(v *kong.Value) bool {
	t := v.Target.Type()
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	return t.Kind() == reflect.String && v.Enum == ""
}

func nameOf(command *kong.Node) string { return strings.TrimPrefix(command.FullPath(), "gosmp ") }

// allOf returns all flags and arguments of a command, including the flags of its parents.
func allOf(command *kong.Node) []*kong.Value {
	list := slices.Clone(command.Positional)
	for node := command; node != nil; node = node.Parent {
		for _, f := range node.Flags {
			list = append(list, f.Value)
		}
	}
	return list
}

// valuesOf returns all flags and arguments of a command that take text values.
func valuesOf(command *kong.Node) (list []*kong.Value) {
	for _, v := range allOf(command) {
		if textual(v) {
			list = append(list, v)
		}
	}
	return list
}

// TestGuard_TypesOfValues: package guard reads texts. A flag of another type, such as an opened
// file, would pass it by.
func TestGuard_TypesOfValues(t *testing.T) {
	for _, command := range newParser().Model.Leaves(false) {
		for _, v := range allOf(command) {
			kind := v.Target.Type()
			for slices.Contains([]reflect.Kind{reflect.Slice, reflect.Pointer, reflect.Map},
				kind.Kind()) {
				kind = kind.Elem()
			}
			require.True(t, kind.Kind() >= reflect.Bool && kind.Kind() <= reflect.Float64 ||
				kind.Kind() == reflect.String, "gosmp %s has %s of type %s", nameOf(command), v.Name,
				v.Target.Type())
		}
	}
}

// TestGuard_KnowsAllFlags: every flag and argument of every command has a file role, and there are
// no roles for flags that do not exist. A new flag fails this test until it has a role.
func TestGuard_KnowsAllFlags(t *testing.T) {
	found := map[string][]string{}
	for _, command := range newParser().Model.Leaves(false) {
		for _, v := range valuesOf(command) {
			role, known := guard.RoleOf(nameOf(command), v.Name)
			require.True(t, known, "gosmp %s has %s, for which package guard has no role",
				nameOf(command), v.Name)
			if role == fileuse.Text && !notGuarded[nameOf(command)+" "+v.Name] {
				require.False(t, namesFile(v), "gosmp %s has %s, which names a file or a folder, "+
					"but has the role of a text in package guard", nameOf(command), v.Name)
			}
		}
		for _, f := range command.Flags {
			found[nameOf(command)] = append(found[nameOf(command)], f.Name)
		}
		for _, a := range command.Positional {
			found[nameOf(command)] = append(found[nameOf(command)], a.Name)
		}
	}
	for command, names := range guard.Roles() {
		for _, name := range names {
			require.Contains(t, found[command], name, "gosmp %s has no %s", command, name)
		}
	}
}

// notGuarded lists options for folders whose files do not matter to the guard: the working
// directory of an FMU's process, a folder on another machine, and the checkouts of gosmp.
var notGuarded = map[string]bool{"run work-dir": true, "sweep plan store": true,
	"bridge generate gosmp": true, "new gosmp": true}

var (
	filePlaceholder = regexp.MustCompile(
		`\b(FILES?|DIRS?|FOLDERS?|PATHS?|[A-Z]*(CSV|SVG|HTML|OSI|MCAP|JSON|XML|ZIP|LIB|PEM))\b`)
	fileHelp = regexp.MustCompile(`(?i)^(new |other |the )?(file|folder|directory)\b`)
)

// namesFile reports whether the definition of a flag or an argument says that it names a file or a
// folder: its completion, its type, its placeholder or its help text.
func namesFile(v *kong.Value) bool {
	return slices.Contains([]string{"file", "dir"}, v.Tag.Get("predictor")) ||
		slices.Contains([]string{"path", "existingfile", "existingdir", "filecontent"}, v.Tag.Type) ||
		v.Flag != nil && filePlaceholder.MatchString(v.Flag.PlaceHolder) && v.Name != "field" ||
		fileHelp.MatchString(v.Help)
}

// TestGuard_NotGuarded: each of these options exists, and names a folder.
func TestGuard_NotGuarded(t *testing.T) {
	found := map[string]bool{}
	for _, command := range newParser().Model.Leaves(false) {
		for _, v := range valuesOf(command) {
			if option := nameOf(command) + " " + v.Name; notGuarded[option] {
				found[option] = namesFile(v)
			}
		}
	}
	require.Equal(t, notGuarded, found)
}

// written returns the command line words with which a flag or an argument names a file.
func written(v *kong.Value, role fileuse.Role, file string) []string {
	switch role {
	case fileuse.NamedIn, fileuse.NamedOut, fileuse.ValueIn:
		file = "x=" + file
	case fileuse.AtIn:
		file = "@" + file
	case fileuse.DriverIn:
		file = "simsensor:" + file
	}
	if v.Flag == nil {
		return []string{file}
	}
	return []string{"--" + v.Name + "=" + file}
}

// aliases contains functions that create another name for a file.
var aliases = map[string]func(dir, file string) (string, error){
	"the same": func(_, file string) (string, error) { return file, nil },
	"a detour": func(dir, file string) (string, error) {
		return dir + "/./sub/../" + filepath.Base(file), os.MkdirAll(filepath.Join(dir, "sub"),
			0o777)
	},
	"a symbolic link": func(dir, file string) (string, error) {
		link := filepath.Join(dir, "soft.out")
		_ = os.Remove(link) // left by an earlier attempt
		return link, os.Symlink(file, link)
	},
	"a hard link": func(dir, file string) (string, error) {
		link := filepath.Join(dir, "hard.out")
		_ = os.Remove(link) // left by an earlier attempt
		return link, os.Link(file, link)
	},
}

// inside contains templates, in several formats, for files that name another file.
var inside = map[string]string{
	"none":        "",
	"outer.exc":   `<ExD><bibiConf src="FILE"/></ExD>`,
	"outer.bibi":  `<bibi><brainModel><file>FILE</file></brainModel></bibi>`,
	"outer.ssd":   `<ssd:Component source="./FILE"/>`,
	"outer.json":  `{"definitions": ["FILE"]}`,
	"outer.yaml":  "experiment: FILE\n",
	"outer.scxml": "<scxml><data src='file:FILE'/></scxml>",
	"outer.csv":   "experiment,seed\nFILE,1\n",
	"outer.conf":  "experiment: FILE\n",
	"outer":       `<ExD><bibiConf src="FILE"/></ExD>`,
}

// commandLine returns a command line with an input, an output and other required arguments, and
// creates their files.
func commandLine(command *kong.Node, in, out *kong.Value, input, output, other string) []string {
	line := strings.Fields(nameOf(command))
	for _, v := range valuesOf(command) {
		role, _ := guard.RoleOf(nameOf(command), v.Name)
		switch {
		case v == in:
			line = append(line, written(v, role, input)...)
		case v == out:
			line = append(line, written(v, role, output)...)
		case v.Required && writes(role):
			line = append(line, written(v, role, other+".out")...)
		case v.Required:
			line = append(line, written(v, role, other)...)
		}
	}
	if nameOf(command) == "sweep plan" {
		line = append(line, "--slurm") // the flag applies to one of several systems
	}
	return line
}

// TestGuard_DefaultNamesAreOutputs: a command with a default output declares it, and this file is
// not an input, either.
func TestGuard_DefaultNamesAreOutputs(t *testing.T) {
	for _, command := range newParser().Model.Leaves(false) {
		for _, v := range valuesOf(command) {
			role, _ := guard.RoleOf(nameOf(command), v.Name)
			if !writes(role) && role != fileuse.OutFolder && role != fileuse.OutResults ||
				v.Required || !strings.Contains(strings.ToLower(v.Help), "by default") ||
				// Cached files are named by their content, and new models go into empty folders.
				v.Name == "cache" || v.Name == "dir" {
				continue
			}
			t.Run(nameOf(command), func(t *testing.T) { defaultIsGuarded(t, command, v, role) })
		}
	}
}

func defaultIsGuarded(t *testing.T, command *kong.Node, v *kong.Value, role fileuse.Role) {
	if strings.Contains(v.Help, "standard output") && !strings.Contains(v.Help, "NAME") {
		return
	}
	_, is := command.Target.Addr().Interface().(guard.Defaulting)
	require.True(t, is, "%s --%s has a default, and no method DefaultOut", nameOf(command), v.Name)
	if role == fileuse.OutFolder {
		return // its content is new
	}
	t.Chdir(t.TempDir())
	input, file := "in.osi", "in.osi"
	if nameOf(command) == "sweep report" {
		input, file = "in.results", "in.results/results.csv"
		require.NoError(t, os.Mkdir(input, 0o777))
	}
	require.NoError(t, os.WriteFile(file, []byte("a\n1\n"), 0o666))
	parsed, err := newParser().Parse(append(strings.Fields(nameOf(command)), input))
	require.NoError(t, err)
	require.NoError(t, guard.Check(parsed))
	out := parsed.Selected().Target.Addr().Interface().(guard.Defaulting).DefaultOut()
	require.NotEmpty(t, out)
	if role == fileuse.OutResults {
		require.NoError(t, os.Mkdir(out, 0o777))
		out = filepath.Join(out, "results.csv")
	}
	require.NoError(t, os.Link(file, out))
	err = guard.Check(parsed)
	require.ErrorContains(t, err, "expected another file, so that nothing is lost")
	require.Equal(t, cli.ExitInput, cli.ExitCode(err))
}

// pick draws a command, with a flag or argument for each of two kinds of roles.
func pick(t *rapid.T, parser *kong.Kong, first, second func(fileuse.Role) bool) (command *kong.Node,
	a, b *kong.Value) {
	type choice struct {
		command *kong.Node
		a, b    *kong.Value
	}
	var all []choice
	for _, command := range parser.Model.Leaves(false) {
		for _, a := range valuesOf(command) {
			for _, b := range valuesOf(command) {
				x, _ := guard.RoleOf(nameOf(command), a.Name)
				y, _ := guard.RoleOf(nameOf(command), b.Name)
				if a != b && first(x) && second(y) {
					all = append(all, choice{command, a, b})
				}
			}
		}
	}
	c := rapid.SampledFrom(all).Draw(t, "flags")
	return c.command, c.a, c.b
}

func reads(r fileuse.Role) bool {
	return slices.Contains([]fileuse.Role{fileuse.In, fileuse.NamedIn, fileuse.ValueIn,
		fileuse.AtIn, fileuse.DriverIn, fileuse.InOut}, r)
}

func writes(r fileuse.Role) bool { return r == fileuse.Out || r == fileuse.NamedOut }

// checked runs the guard on a command line, and returns its exit code.
func checked(t require.TestingT, parser *kong.Kong, line []string) (int, error) {
	command, err := parser.Parse(line)
	require.NoError(t, err, "%q", line)
	err = guard.Check(command)
	return cli.ExitCode(err), err
}

// TestGuard_NoOutputIsAnInput draws commands and flags from their definitions. No command accepts
// an output that another of its flags or arguments reads, whether directly or through a file that
// names it, and under whatever name. The file is not changed.
func TestGuard_NoOutputIsAnInput(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		parser := newParser() // kong keeps file names from one command line to the next
		command, in, out := pick(t, parser, reads, writes)
		file, other := filepath.Join(dir, "inner.fmu"), filepath.Join(dir, "other.fmu")
		require.NoError(t, os.WriteFile(file, []byte("content"), 0o666))
		require.NoError(t, os.WriteFile(other, []byte("other"), 0o666))
		input := file
		if outer := rapid.SampledFrom(slices.Sorted(maps.Keys(inside))).Draw(t,
			"named in"); outer != "none" {
			input = filepath.Join(dir, outer)
			require.NoError(t, os.WriteFile(input, []byte(strings.ReplaceAll(inside[outer], "FILE",
				"inner.fmu")), 0o666))
		}
		alias := rapid.SampledFrom([]string{"the same", "a detour", "a symbolic link",
			"a hard link"}).Draw(t, "alias")
		output, err := aliases[alias](dir, file)
		if err != nil {
			t.Skip(err) // the file system does not support such links
		}
		line := commandLine(command, in, out, input, output, other)
		code, err := checked(t, parser, line)
		require.Equal(t, cli.ExitInput, code, "%q", line)
		require.ErrorContains(t, err, out.Name)
		require.ErrorContains(t, err, "expected another file")
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, "content", string(content))
	})
}

// TestGuard_NoTwoOutputsAreOne: two outputs with the same name are refused, even before the file
// exists.
func TestGuard_NoTwoOutputsAreOne(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other.fmu")
	require.NoError(t, os.WriteFile(other, nil, 0o666))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "sub"), 0o777))
	rapid.Check(t, func(t *rapid.T) {
		parser := newParser() // kong keeps file names from one command line to the next
		command, a, b := pick(t, parser, writes, writes)
		name := filepath.Join(dir, "new.out")
		again := rapid.SampledFrom([]string{name, dir + "/sub/../new.out", dir + "//new.out"}).Draw(
			t, "again")
		if rapid.Bool().Draw(t, "standard output") {
			name, again = "-", "-"
		}
		code, err := checked(t, parser, commandLine(command, a, b, name, again, other))
		require.Equal(t, cli.ExitInput, code)
		require.ErrorContains(t, err, "writes, too")
		require.NoFileExists(t, name)
	})
}

// TestGuard_TriesOutputs: an output that cannot be created is reported before anything runs. The
// check neither creates nor changes other outputs.
func TestGuard_TriesOutputs(t *testing.T) {
	dir := t.TempDir()
	other, old := filepath.Join(dir, "other.fmu"), filepath.Join(dir, "old.out")
	require.NoError(t, os.WriteFile(other, nil, 0o666))
	require.NoError(t, os.WriteFile(old, []byte("old"), 0o666))
	rapid.Check(t, func(t *rapid.T) {
		parser := newParser() // kong keeps file names from one command line to the next
		command, out, _ := pick(t, parser, writes, func(fileuse.Role) bool { return true })
		at := slices.Index(valuesOf(command), out)
		try := func(name string) (int, error) {
			fresh := newParser()
			all := fresh.Model.Leaves(false)
			k := slices.IndexFunc(all, func(n *kong.Node) bool {
				return nameOf(n) == nameOf(command)
			})
			return checked(t, fresh, commandLine(all[k], nil, valuesOf(all[k])[at], "", name,
				other))
		}
		code, err := try(filepath.Join(dir, "missing", "x.out"))
		require.Equal(t, cli.ExitInput, code, "%v", err)
		require.ErrorContains(t, err, "no such file or directory", "gosmp %s, %s", nameOf(command),
			out.Name)
		code, err = try(dir)
		require.Equal(t, cli.ExitInput, code)
		require.ErrorContains(t, err, "is a directory")
		for _, name := range []string{old, filepath.Join(dir, "new.out"), "-"} {
			_, err = try(name)
			require.NoError(t, err)
		}
		content, err := os.ReadFile(old)
		require.NoError(t, err)
		require.Equal(t, "old", string(content))
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, entries, 2, "nothing is left behind")
	})
}

// inFolder is a file in a folder that an option names.
type inFolder struct {
	option, name string
	always       bool // whether each such command overwrites it
}

// overwritten lists files that commands may overwrite.
var overwritten = []inFolder{
	{"sweep run out", "results.csv", true}, {"sweep run out", "boundary.csv", false},
	{"sweep run out", "case-0001/verdict.json", false},
	{"sweep run store", "78c5ec68/rows-1.jsonl", false}, {"bridge generate out", "codec.go", true},
	{"bridge generate out", "loopback_test.go", false}, {"check programs", "FMI2-R9.c", false},
	{"check programs", "2-sensor/FMI2-R9.c", false},
}

// foreign lists files that no command overwrites, although commands write others next to them.
var foreign = []inFolder{
	{"sweep run out", "case-0001/notes", false}, {"sweep run out", "notes.txt", false},
	{"bridge generate out", "own.go", false}, {"check programs", "my-code.c", false},
	{"check programs", "src/my-code.c", false},
}

// of returns the files in the folder that an option of a command names.
func of(list []inFolder, command *kong.Node, v *kong.Value) (found []inFolder) {
	for _, f := range list {
		if f.option == nameOf(command)+" "+v.Name {
			found = append(found, f)
		}
	}
	return found
}

// TestGuard_FilesOfFolders: if a flag names a folder in which a command writes files, no other flag
// may write or read the same files. A new flag fails this test until its files are known, or until
// it is known to create only new files.
func TestGuard_FilesOfFolders(t *testing.T) {
	onlyNew := map[string]bool{ // a folder that must be empty, or files named by their content
		"experiment unpack out": true, "work cache": true, "new dir": true}
	for _, command := range newParser().Model.Leaves(false) {
		for _, v := range valuesOf(command) {
			role, _ := guard.RoleOf(nameOf(command), v.Name)
			if role < fileuse.OutFolder || role == fileuse.InOut || v.Name == "bridge" {
				continue
			}
			files := of(overwritten, command, v)
			require.NotEqual(t, onlyNew[nameOf(command)+" "+v.Name], len(files) > 0, "%s %s",
				nameOf(command), v.Name)
			for _, f := range files {
				folderIsGuarded(t, nameOf(command), v.Name, f.name)
			}
		}
	}
}

// TestGuard_OlderFilesInFolders: a command is refused if it cannot overwrite a file that it always
// writes in a folder. Nothing else in the folder matters: neither files that only some runs write,
// nor users' files and folders that are named like outputs.
func TestGuard_OlderFilesInFolders(t *testing.T) {
	for _, command := range newParser().Model.Leaves(false) {
		for _, v := range valuesOf(command) {
			for _, f := range of(slices.Concat(overwritten, foreign), command, v) {
				olderFileIsTried(t, command, v, f)
			}
		}
	}
}

func olderFileIsTried(t *testing.T, command *kong.Node, v *kong.Value, f inFolder) {
	dir := t.TempDir()
	other, name := filepath.Join(dir, "other.fmu"), filepath.Join(dir, "out", f.name)
	require.NoError(t, os.WriteFile(other, nil, 0o666))
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
	try := func() (int, error) {
		fresh := newParser() // kong keeps file names from one command line to the next
		return checked(t, fresh, commandLine(command, nil, v, "", filepath.Join(dir, "out"), other))
	}
	require.NoError(t, os.WriteFile(name, nil, 0o444))
	if _, err := try(); !f.always {
		require.NoError(t, err, "%s %s", f.option, f.name)
	}
	require.NoError(t, os.Remove(name))
	require.NoError(t, os.Mkdir(name, 0o777))
	code, err := try()
	if !f.always {
		require.NoError(t, err, "%s %s", f.option, f.name)
		return
	}
	require.Equal(t, cli.ExitInput, code, "%s %s", f.option, f.name)
	require.ErrorContains(t, err, v.Name+": open "+name+": is a directory")
}

// folderIsGuarded combines a file in a folder with every other flag of a command.
func folderIsGuarded(t *testing.T, of, flag, name string) {
	dir := t.TempDir()
	file, other := filepath.Join(dir, name), filepath.Join(dir, "other.fmu")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
	require.NoError(t, os.WriteFile(file, []byte("content"), 0o666))
	require.NoError(t, os.WriteFile(other, nil, 0o666))
	all := newParser().Model.Leaves(false)
	at := slices.IndexFunc(all, func(n *kong.Node) bool { return nameOf(n) == of })
	for n, v := range valuesOf(all[at]) {
		role, _ := guard.RoleOf(of, v.Name)
		if v.Name == flag || !writes(role) && (flag == "store" || !reads(role)) {
			continue
		}
		parser := newParser() // kong keeps file names from one command line to the next
		command := parser.Model.Leaves(false)[at]
		line := append(commandLine(command, valuesOf(command)[n], nil, file, "", other),
			"--"+flag+"="+dir)
		parsed, err := parser.Parse(line)
		require.NoError(t, err, "%q", line)
		err = guard.Check(parsed)
		require.Equal(t, cli.ExitInput, cli.ExitCode(err), "%q", line)
		require.ErrorContains(t, err, "expected a", "%q", line)
	}
}
