package run

import (
	"io"
	"os"
	"os/exec"
	"runtime"

	"github.com/cli/browser"

	"gosmp/cmd/gosmp/internal/cli"
)

// browse opens an address in the user's browser if there seems to be one. The address has been
// printed, so that a browser that does not start needs no error.
func browse(address string) {
	if open := opener(cli.IsTerminal(os.Stderr), runtime.GOOS, os.Getenv); open != nil {
		go func() { _ = open(address) }()
	}
}

// opener returns the function that opens an address, or nil without a terminal or a display: on a
// build server, or over SSH. $BROWSER is the command of the user's choice, or none.
func opener(terminal bool, system string, env func(string) string) func(address string) error {
	program := env("BROWSER")
	display := system != "linux" || env("DISPLAY") != "" || env("WAYLAND_DISPLAY") != "" ||
		env("WSL_DISTRO_NAME") != ""
	switch {
	case !terminal || program == "none":
		return nil
	case program != "":
		return func(address string) error { return exec.Command(program, address).Run() }
	case display:
		browser.Stdout, browser.Stderr = io.Discard, io.Discard
		return browser.OpenURL
	}
	return nil
}
