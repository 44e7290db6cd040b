package scaffold

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"gosmp/internal/fault"
	"gosmp/internal/release"
)

// own is the path of gosmp's module.
var own = release.Module

// Locate finds the folder of gosmp's module: the given folder, or else the folder that the module
// in the current folder uses, or else the folder that this program was built in. An [Error] says
// what to do if there is none.
func Locate(ctx context.Context, given string) (string, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return "", fault.Wrap(ErrTool, fault.At("go"), err).
			WithHint("install Go from https://go.dev/dl or by: apt-get install golang")
	}
	if given != "" {
		return check(ctx, given)
	}
	if folder, err := run(ctx, "", "list", "-mod=mod", "-m", "-f", "{{.Dir}}", own); err == nil &&
		folder != "" {
		return check(ctx, folder)
	}
	if folder := built(); folder != "" {
		return check(ctx, folder)
	}
	return "", fault.New(ErrGosmp, fault.At("--gosmp"),
		"neither a reference to it in the module of this folder, nor the source of this program",
		"the folder of its checkout").
		WithHint("give the folder with go.mod: --gosmp /path/to/gosmp")
}

// built returns the root of the module that this program was built in, or "" if its source is gone
// or was not recorded.
func built() string {
	_, file, _, _ := runtime.Caller(0)
	if !filepath.IsAbs(file) { // go build -trimpath
		return ""
	}
	for folder := filepath.Dir(file); folder != filepath.Dir(folder); folder = filepath.Dir(
		folder) {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
	}
	return ""
}

// check ensures that a folder is the root of gosmp.
func check(ctx context.Context, folder string) (string, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	found, err := run(ctx, folder, "list", "-m", "-f", "{{.Path}} {{.Dir}}")
	name, at, _ := strings.Cut(found, " ")
	switch {
	case err != nil:
	case name != own:
		err = fmt.Errorf("it belongs to the module %q", name)
	case sameFolder(folder, at):
		return folder, nil
	default:
		err = errors.New("it is a folder inside the module, not its root")
	}
	return "", fault.Wrap(ErrGosmp, fault.At(folder), err).
		WithHint("give the folder of its checkout, which contains go.mod: --gosmp /path/to/gosmp")
}

// sameFolder reports whether two paths refer to the same folder, possibly through a link.
func sameFolder(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// run runs the go command in a folder and returns its output without surrounding white space.
func run(ctx context.Context, folder string, arguments ...string) (string, error) {
	c := exec.CommandContext(ctx, "go", arguments...)
	c.Dir = folder
	// needed after an interruption, because programs started by the go command may hold its output
	// open
	c.WaitDelay = time.Second
	c.Env = append(c.Environ(), "GOWORK=off")
	var complaint bytes.Buffer
	c.Stderr = &complaint
	text, err := c.Output()
	if err != nil {
		err = fmt.Errorf("go %s: %w\n%s", strings.Join(arguments, " "), err,
			strings.TrimSpace(complaint.String()))
	}
	return strings.TrimSpace(string(text)), err
}
