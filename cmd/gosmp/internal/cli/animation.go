package cli

import "os"

// AnimationWidth is the number of columns of a terminal on which a line may be replaced by control
// codes. It is 0 for a log, for a terminal that has none (TERM=dumb), and for users who want none
// (NO_COLOR).
func AnimationWidth(f *os.File) int {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return 0
	}
	return TerminalWidth(f)
}
