package fileuse

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"gosmp/run/usage"
)

// Role is the meaning of an option's text for a program.
type Role int

// The roles. A name ends before the first "=".
const (
	Text       Role = iota + 1 // not a file
	In                         // a file, or a folder with files, that is read
	NamedIn                    // NAME=FILE, or FILE
	ValueIn                    // NAME=VALUE, where the value may be @FILE or the name of a file
	AtIn                       // a text, or @FILE
	DriverIn                   // DRIVER:FILE
	Library                    // a folder to search for files that inputs name
	Out                        // a file to write
	NamedOut                   // NAME=FILE
	OutFolder                  // a folder in which files are created
	OutResults                 // a folder whose files [Use.Make] names
	InOut                      // replaced with Use.Updating, otherwise read
)

// file is a file named by an option.
type file struct {
	option string // its name in errors: --report, or <files>
	name   string
}

// Use describes how a program uses files.
type Use struct {
	Updating bool // whether files with the role [InOut] are written

	in, out, folders []file
	values           []file // texts that may name files
	made             []file // files created in folders
	possible         []file // files in folders that may be created
	library          []string
	own              []string // outputs that are named as such by inputs
	standard         []string // options whose output is standard output
}

// standard is the name of standard input and standard output.
const standard = "-"

// Add adds the texts of an option. Empty texts and "-" are not files, but only one output can be
// standard output.
func (u *Use) Add(option string, role Role, texts ...string) {
	for _, text := range texts {
		switch {
		case role == Out && text == standard, role == NamedOut && strings.HasSuffix(text, "=-"):
			u.standard = append(u.standard, option)
		case text != "" && text != standard:
			u.add(role, file{option, text})
		}
	}
}

func (u *Use) add(role Role, f file) {
	after := func(separator string) file {
		return file{f.option, f.name[strings.Index(f.name, separator)+1:]}
	}
	switch role {
	case In:
		u.in = append(u.in, f)
	case InOut:
		if u.Updating {
			u.out = append(u.out, f)
		} else {
			u.in = append(u.in, f)
		}
	case NamedIn:
		u.in = append(u.in, after("="), f)
	case ValueIn:
		for _, x := range []file{after("="), f} {
			u.values = append(u.values, file{x.option, strings.TrimPrefix(x.name, "@")})
		}
	case AtIn:
		if name, is := strings.CutPrefix(f.name, "@"); is {
			u.in = append(u.in, file{f.option, name})
		}
	case DriverIn:
		u.in = append(u.in, after(":"))
	case Library:
		u.library = append(u.library, f.name)
	case Out:
		u.out = append(u.out, f)
	case NamedOut:
		f.name = f.name[strings.LastIndex(f.name, "=")+1:]
		u.out = append(u.out, f)
	case OutFolder:
		u.folders = append(u.folders, f)
	case Text, OutResults:
	}
}

// Make adds files that are created in a folder, which need not exist.
func (u *Use) Make(option, folder string, names ...string) {
	u.made = within(u.made, option, folder, names)
}

// MayMake adds files that a program may create in a folder. They must not be inputs or other
// outputs, but if such a file cannot be overwritten, the program may begin nevertheless.
func (u *Use) MayMake(option, folder string, names ...string) {
	u.possible = within(u.possible, option, folder, names)
}

func within(list []file, option, folder string, names []string) []file {
	for _, name := range names {
		list = append(list, file{option, filepath.Join(folder, name)})
	}
	return list
}

// Records adds a file that is written because an input, such as a configuration, requests it.
// Although an input names the file, it does not count as an input.
func (u *Use) Records(option, name string) {
	if name != "" {
		u.Add(option, Out, name)
		u.own = append(u.own, name)
	}
}

// Texts returns the texts in a value, which may be a text, a list, or a struct with a field Value.
func Texts(value reflect.Value) (list []string) {
	switch value.Kind() {
	case reflect.String:
		list = append(list, value.String())
	case reflect.Slice:
		for k := range value.Len() {
			list = append(list, Texts(value.Index(k))...)
		}
	case reflect.Pointer:
		if !value.IsNil() {
			list = Texts(value.Elem())
		}
	case reflect.Struct:
		if inner := value.FieldByName("Value"); inner.IsValid() {
			list = Texts(inner)
		}
	}
	return list
}

// Check refuses outputs that are inputs, that are the same file, or that cannot be created. The
// error names the option, and is from package usage unless the disk is full; see [IsFull].
func (u *Use) Check() error {
	if len(u.standard) > 1 {
		return usage.Unexpected(u.standard[1], fmt.Sprintf(
			"%q, standard output, which %s writes, too", standard, u.standard[0]),
			"a file of its own")
	}
	if err := u.notShown(); err != nil {
		return err
	}
	if !u.Writes() {
		return nil
	}
	if err := u.unique(); err != nil {
		return err
	}
	if err := u.apart(); err != nil {
		return err
	}
	older := slices.DeleteFunc(slices.Clone(u.made), func(f file) bool {
		return exists(f.name) == nil && !isFolder(f.name)
	})
	tried := folders{}
	for _, f := range slices.Concat(u.out, older) {
		if err := tried.file(f.name); err != nil {
			return refused(f, err)
		}
	}
	for _, f := range u.folders {
		if err := tried.folder(f.name); err != nil {
			return refused(f, err)
		}
	}
	return nil
}

// notShown refuses an input to which standard output is appended. Standard output that is empty has
// lost nothing, or has lost it before this program began.
func (u *Use) notShown() error {
	shown, closed := os.Stdout.Stat()
	if closed != nil || !shown.Mode().IsRegular() || shown.Size() == 0 {
		return nil //nolint:nilerr // nothing is written to a closed file
	}
	for _, in := range u.inputs(true) {
		if info, err := os.Stat(in.path); err == nil && os.SameFile(shown, info) {
			return usage.Unexpected("standard output", fmt.Sprintf("the file %q, which %s reads",
				in.path, in.by), "another file, so that nothing is lost")
		}
	}
	return nil
}

// Writes reports whether there are outputs other than standard output.
func (u *Use) Writes() bool { return len(u.out)+len(u.folders)+len(u.inFolders()) > 0 }

// inFolders returns the files that are, or may be, created in folders.
func (u *Use) inFolders() []file { return slices.Concat(u.made, u.possible) }

// unique refuses outputs that are the same file. Files that one option creates in a folder have
// different names.
func (u *Use) unique() error {
	made := u.inFolders()
	outputs := slices.Concat(made, u.out)
	for k, f := range outputs {
		for _, other := range outputs[:k] {
			together := k < len(made) && other.option == f.option
			if !together && onDisk.same(f.name, other.name) {
				return usage.Unexpected(f.option, fmt.Sprintf("%q, which %s writes, too", f.name,
					other.option), "a file of its own")
			}
		}
	}
	return nil
}

// refused returns the error for an output that cannot be created. A full disk is not an option
// error.
func refused(f file, err error) error {
	if IsFull(err) {
		return fmt.Errorf("%s: %w", f.option, err)
	}
	return usage.Invalid(f.option, err)
}

// Free refuses another output file if it is an input. The file is named by an option or a command.
func (u *Use) Free(option, name string) error {
	if name == "" || name == standard {
		return nil
	}
	return u.distinct([]file{{option, name}})
}

// apart refuses outputs that are inputs.
func (u *Use) apart() error { return u.distinct(slices.Concat(u.out, u.inFolders())) }

func (u *Use) distinct(outputs []file) error {
	if len(outputs) == 0 {
		return nil
	}
	inputs := u.inputs(slices.ContainsFunc(outputs, func(f file) bool {
		return exists(f.name) != nil
	}))
	for _, out := range outputs {
		for _, in := range inputs {
			if !onDisk.same(out.name, in.path) {
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

// isOwn reports whether a file is written because an input names it.
func (u *Use) isOwn(name string) bool {
	return slices.ContainsFunc(u.own, func(own string) bool { return onDisk.same(own, name) })
}

// inputs returns all files that options name and, if wanted, the existing files that
// those name in turn. Only an output that exists can be one of the latter.
func (u *Use) inputs(withNamed bool) (list []input) {
	seen := map[string]bool{}
	add := func(path, by string) {
		names := []string{path}
		if withNamed {
			names = append(names, Named(path, u.library...)...)
		}
		for _, name := range names {
			clean := filepath.Clean(name)
			if seen[clean] || name != path && u.isOwn(name) {
				continue
			}
			seen[clean] = true
			reader := by
			if name != path {
				reader = path
			}
			list = append(list, input{name, reader})
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
