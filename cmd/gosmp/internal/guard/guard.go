// Package guard keeps commands from writing over what they read, and from ending without a result.
// Rules:
//
//   - no output of a command is one of its inputs, or another output. Files are the same by their
//     identity, whatever their names are: links, and the case of letters where the file system does
//     not distinguish it, are seen through;
//   - inputs are also the files that other inputs name, in experiments, systems, statecharts, plans
//     and configurations, whatever their format: see [Named];
//   - each output is tried before the command begins: its folder exists, a file can be written there,
//     and the disk is not full;
//   - a file that exists is not touched by that.
//
// There is one table of the roles of all flags, see [Role], and one place where main calls [Check].
// Standard input, standard output, pipes and devices are left alone.
package guard

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/run/usage"
	"gosmp/sweep"
)

// file is a file that a command line names.
type file struct {
	option string // as errors call it: --report, or <files>
	name   string
}

// use is what a command line does with files.
type use struct {
	in, out, folders []file
	values           []file // texts that may name files
	updated          []file // inputs, or with --update outputs
	made             []file // files that are made in folders
}

// Check refuses a command line whose outputs cannot be made, or would be made of its inputs. The
// error is one of usage.
func Check(command *kong.Context) error {
	node := command.Selected()
	if node == nil {
		return nil
	}
	u := &use{}
	known := roles[strings.TrimPrefix(node.FullPath(), "gosmp ")]
	for _, flag := range node.Flags {
		u.add("--"+flag.Name, known[flag.Name], flag.Target)
	}
	for _, argument := range node.Positional {
		u.add("<"+argument.Name+">", known[argument.Name], argument.Target)
	}
	for parent := node.Parent; parent != nil; parent = parent.Parent {
		for _, flag := range parent.Flags {
			u.add("--"+flag.Name, known[flag.Name], flag.Target)
		}
	}
	if updating := node.Target.FieldByName("Update"); updating.IsValid() && updating.Bool() {
		u.out = append(u.out, u.updated...)
	} else {
		u.in = append(u.in, u.updated...)
	}
	return u.check()
}

// add notes the values of a flag or an argument.
func (u *use) add(option string, role Role, value reflect.Value) {
	for _, text := range texts(value) {
		f := file{option, text}
		switch role {
		case In:
			u.in = append(u.in, f)
		case InOut:
			u.updated = append(u.updated, f)
		case NamedIn:
			f.name = text[strings.Index(text, "=")+1:]
			u.in = append(u.in, f, file{option, text})
		case ValueIn:
			f.name = strings.TrimPrefix(text[strings.Index(text, "=")+1:], "@")
			u.values = append(u.values, f)
		case AtIn:
			if name, is := strings.CutPrefix(text, "@"); is {
				f.name = name
				u.in = append(u.in, f)
			}
		case DriverIn:
			f.name = text[strings.Index(text, ":")+1:]
			u.in = append(u.in, f)
		case Out:
			u.out = append(u.out, f)
		case NamedOut:
			f.name = text[strings.LastIndex(text, "=")+1:]
			u.out = append(u.out, f)
		case OutFolder:
			u.folders = append(u.folders, f)
		case OutResults:
			for _, name := range resultFiles {
				u.made = append(u.made, file{option, filepath.Join(text, name)})
			}
		case Text:
		}
	}
}

// texts are the values of a flag that are not empty.
func texts(value reflect.Value) (list []string) {
	switch value.Kind() {
	case reflect.String:
		list = append(list, value.String())
	case reflect.Slice:
		for k := range value.Len() {
			list = append(list, texts(value.Index(k))...)
		}
	case reflect.Pointer:
		if !value.IsNil() {
			list = texts(value.Elem())
		}
	}
	kept := list[:0]
	for _, text := range list {
		if text != "" && text != "-" {
			kept = append(kept, text)
		}
	}
	return kept
}

func (u *use) check() error {
	if len(u.out)+len(u.folders) == 0 {
		return nil
	}
	for k, f := range u.out {
		for _, other := range u.out[:k] {
			if same(f.name, other.name) {
				return usage.Unexpected(f.option, fmt.Sprintf("%q, which %s writes, too", f.name,
					other.option),
					"a file of its own")
			}
		}
	}
	if err := u.apart(); err != nil {
		return err
	}
	for _, f := range u.out {
		if err := try(f.name); err != nil {
			return refused(f, err)
		}
	}
	for _, f := range u.folders {
		if err := tryFolder(f.name); err != nil {
			return refused(f, err)
		}
	}
	return nil
}

// refused is the error of an output that cannot be made. A full disk is no error of the command
// line.
func refused(f file, err error) error {
	err = usage.Invalid(f.option, err)
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return cli.OutputFailed(err)
	}
	return err
}

// apart refuses outputs that are inputs.
func (u *use) apart() error {
	outputs := slices.Concat(u.out, u.made)
	if len(outputs) == 0 {
		return nil
	}
	inputs := u.inputs()
	for _, out := range outputs {
		for _, in := range inputs {
			if !same(out.name, in.path) {
				continue
			}
			found := fmt.Sprintf("%q, which %s reads", out.name, in.by)
			if filepath.Clean(in.path) != filepath.Clean(out.name) {
				found = fmt.Sprintf("%q, which is the file %s that %s reads", out.name, in.path,
					in.by)
			}
			return usage.Unexpected(out.option, found, "another file, so that nothing is lost")
		}
	}
	return nil
}

// input is a file that is read.
type input struct {
	path, by string
}

// inputs are all files that the command line names, and those that these name.
func (u *use) inputs() (list []input) {
	seen := map[string]bool{}
	add := func(path, by string) {
		for _, name := range append([]string{path}, Named(path)...) {
			if clean := filepath.Clean(name); !seen[clean] {
				seen[clean] = true
				reader := by
				if name != path {
					reader = path
				}
				list = append(list, input{name, reader})
			}
		}
	}
	for _, f := range u.in {
		add(f.name, f.option)
	}
	for _, f := range u.values {
		add(f.name, f.option)
		for _, in := range u.in { // names in experiments start at their folder
			add(filepath.Join(filepath.Dir(in.name), f.name), f.option)
		}
	}
	return list
}

// resultFiles are what a sweep makes in the folder for its results.
var resultFiles = []string{sweep.TableFile, sweep.RowsFile, sweep.DurationsFile, sweep.AboutFile,
	"boundary.csv"}

// exists returns what is known about a regular file.
func exists(name string) os.FileInfo {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return info
}
