package export

import "os"

// Go's runtime makes ready to wait for files and timers when somebody needs it first, and ends the process if the two descriptors
// for that are not to be had. The loader has made sure of them before it loads this library, so that this is the time to take them:
// the first to open a file by package os does. A model may open its own when the host has none left, and get an error.
func init() {
	if root, err := os.Open("/"); err == nil {
		_ = root.Close() // it was not even read
	}
}
