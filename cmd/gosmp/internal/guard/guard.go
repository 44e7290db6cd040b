// Package guard defines the file roles of the flags and arguments of all commands, and checks
// command lines against the rules of package fileuse: no output is also an input or another output,
// and all outputs can be created.
//
// There is only one table of roles (see [RoleOf]), and main calls [Check] in only one place. A
// command whose output has a default name has a method DefaultOut.
package guard

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"gosmp/bridge/generate"
	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/run"
	"gosmp/run/fileuse"
	"gosmp/sweep"
)

// Defaulting is a command that writes a file or folder even if no flag names it.
type Defaulting interface {
	// DefaultOut returns the output if the flag --out is empty, or "" if the input does not
	// determine it.
	DefaultOut() string
}

// Check refuses a command line whose outputs cannot be created or would overwrite its inputs. The
// error is a usage error.
func Check(command *kong.Context) error {
	node := command.Selected()
	if node == nil {
		return nil
	}
	u := &fileuse.Use{}
	if updating := node.Target.FieldByName("Update"); updating.IsValid() {
		u.Updating = updating.Bool()
	}
	known := roles[strings.TrimPrefix(node.FullPath(), "gosmp ")]
	for _, flag := range node.Flags {
		add(u, node, "--"+flag.Name, known[flag.Name], flag.Target)
	}
	for _, argument := range node.Positional {
		add(u, node, "<"+argument.Name+">", known[argument.Name], argument.Target)
	}
	for parent := node.Parent; parent != nil; parent = parent.Parent {
		for _, flag := range parent.Flags {
			add(u, node, "--"+flag.Name, known[flag.Name], flag.Target)
		}
	}
	err := u.Check()
	if fileuse.IsFull(err) {
		return cli.OutputFailed(err)
	}
	return err
}

// add adds the values of a flag or an argument.
func add(u *fileuse.Use, command *kong.Node, option string, role fileuse.Role,
	value reflect.Value) {
	texts := fileuse.Texts(value)
	if d, is := command.Target.Addr().Interface().(Defaulting); is && option == "--out" &&
		strings.Join(texts, "") == "" {
		texts = []string{d.DefaultOut()}
	}
	switch role {
	case outResults, outCode, outPrograms:
		for _, folder := range texts {
			u.Make(option, folder, filesIn[role]...)
			u.MayMake(option, folder, possibleIn(folder, role)...)
		}
		u.Add(option, outFolder, texts...)
	case store:
		for _, folder := range texts {
			for _, name := range possibleIn(folder, role) {
				u.Add(option, in, filepath.Join(folder, name))
			}
		}
		u.Add(option, outFolder, texts...)
	case bridge:
		u.Add(option, in, texts...)
		for _, name := range texts {
			u.Records(option, run.RecordingOf(name))
		}
	default:
		u.Add(option, role, texts...)
	}
}

// filesIn lists the files that are always overwritten in the folders with these roles.
var filesIn = map[fileuse.Role][]string{
	outResults: {sweep.TableFile, sweep.RowsFile, sweep.DurationsFile, sweep.AboutFile},
	outCode:    generate.Always,
}

// sometimesIn lists files that are overwritten in these folders if the input or an option requests
// it.
var sometimesIn = map[fileuse.Role][]string{
	outResults: {"boundary.csv"},
	outCode:    generate.Sometimes,
}

// patternsIn lists patterns for further files that may be overwritten or continued in these
// folders. What a command writes there depends on the outcome of its runs, and files of users and
// of earlier commands match, too.
var patternsIn = map[fileuse.Role][]string{
	outResults:  {"case-*/*"},
	outPrograms: {"*-*.c", "*/*-*.c"}, // FMI2-R9.c, and a folder for each FMU of a system
	store:       {"*/rows-*.jsonl"},
}

// possibleIn returns the names of the files in a folder that a command with this role may
// overwrite.
func possibleIn(folder string, role fileuse.Role) []string {
	names := slices.Clone(sometimesIn[role])
	for _, pattern := range patternsIn[role] {
		found, _ := fs.Glob(os.DirFS(folder), pattern) // unreadable files are not overwritten
		names = append(names, found...)
	}
	return names
}
