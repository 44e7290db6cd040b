package cli

import (
	"os"

	"golang.org/x/sys/windows"
)

// TerminalWidth returns the number of columns of the terminal f, or 0 if f is not a terminal.
func TerminalWidth(f *os.File) int {
	var info windows.ConsoleScreenBufferInfo
	if windows.GetConsoleScreenBufferInfo(windows.Handle(f.Fd()), &info) != nil {
		return 0
	}
	return int(info.Window.Right-info.Window.Left) + 1
}
