package cli

import "os"

// AnimationWidth returns the number of columns of a terminal on which control codes may replace a
// line. It is 0 for a log, for a terminal without control codes (TERM=dumb), and for users who do
// not want them (NO_COLOR).
func AnimationWidth(f *os.File) int {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return 0
	}
	return TerminalWidth(f)
}
