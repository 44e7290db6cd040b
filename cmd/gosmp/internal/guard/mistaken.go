package guard

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/alecthomas/kong"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/run/fileuse"
	"gosmp/run/usage"
)

// Mistaken explains why a command has failed: if an argument names a file of a kind that the
// command does not read, it returns an error that states the kind of the file and the commands that
// read it. It returns any other error unchanged.
func Mistaken(command *kong.Context, err error) error {
	if err == nil || cli.ExitCode(err) != cli.ExitInput || errors.Is(err, usage.ErrNoFile) ||
		errors.Is(err, fs.ErrPermission) {
		return err
	}
	node := command.Selected()
	if node == nil || forced(node) {
		return err
	}
	path := strings.TrimPrefix(node.FullPath(), "gosmp ")
	values := append([]*kong.Value{}, node.Positional...)
	for _, flag := range node.Flags {
		values = append(values, flag.Value)
	}
	for _, value := range values {
		for _, text := range fileuse.Texts(value.Target) {
			if explained := inputfile.Mistaken(path, value.Name, fileOf(path, text)); explained !=
				nil {
				return explained
			}
		}
	}
	return err
}

// forced reports whether a flag states the kind of the files.
func forced(node *kong.Node) bool {
	for _, name := range []string{"As", "Type"} {
		if f := node.Target.FieldByName(name); f.IsValid() && strings.Join(fileuse.Texts(f),
			"") != "" {
			return true
		}
	}
	return false
}

// fileOf returns the file in a value, which may have a name or a driver before it.
func fileOf(command, text string) string {
	switch command {
	case "run":
		if _, file, named := strings.Cut(text, "="); named {
			return file
		}
	case "sensors":
		if _, file, named := strings.Cut(text, ":"); named {
			return file
		}
	}
	return text
}
