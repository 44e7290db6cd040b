package export

import "os"

// Go's runtime opens two descriptors for its poller with the first file, or with a timer of its own at any time, and ends the process
// when there are no two. So it gets them when the core is loaded; the loader has made sure that they are there.
func init() {
	if f, err := os.Open("/"); err == nil {
		_ = f.Close() // nothing was read
	}
}
