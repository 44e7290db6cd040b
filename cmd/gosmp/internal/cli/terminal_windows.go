package cli

import (
	"os"

	"golang.org/x/sys/windows"
)

// TerminalWidth is the Number of columns of the terminal that f is, 0 if it is not a terminal.
func TerminalWidth(f *os.File) int {
	var info windows.ConsoleScreenBufferInfo
	if windows.GetConsoleScreenBufferInfo(windows.Handle(f.Fd()), &info) != nil {
		return 0
	}
	return int(info.Window.Right-info.Window.Left) + 1
}
