// Package packed packs models of this module for tests. The tests of many packages and the tests
// in Python need the same FMUs, and each takes seconds to compile and link.
//
// Functions: [FMU].
package packed

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// Folder names the environment variable with the folder in which the packages share their FMUs. It
// must be empty or hold FMUs of the current state of the module.
const Folder = "GOSMP_MODELS"

var mu sync.Mutex

// FMU returns the path of the FMU of a program of this module, such as examples/aeb, for FMI 2.0.
// The program is packed into the common folder, or into the given one if there is none, unless it
// is there already. Errors contain the output of the packer.
func FMU(folder, program string) (string, error) {
	mu.Lock()
	defer mu.Unlock()
	if common := os.Getenv(Folder); common != "" {
		folder = common
	}
	file := filepath.Join(folder, strings.ReplaceAll(program, "/", "-")+".fmu")
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	own, err := os.MkdirTemp(folder, "packing-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(own) }() // empty, unless packing failed
	made := filepath.Join(own, filepath.Base(file))
	c := exec.Command("go", "run", "gosmp/"+program, "pack", "-o", made)
	if text, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v: %w\n%s", c.Args, err, text)
	}
	// Two processes that pack the same program at the same time make the same file.
	return file, os.Rename(made, file)
}
