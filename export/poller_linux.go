package export

import "os"

// Go's runtime sets up its poller for files and timers on first use, and ends the process if it
// cannot get the two descriptors for it. The loader has checked that they are available before it
// loads this library, so the poller is set up here, by opening a file with package os. A model may
// open its files when the host has no descriptors left, and then receives an error.
func init() {
	if root, err := os.Open("/"); err == nil {
		_ = root.Close() // nothing was read
	}
}
