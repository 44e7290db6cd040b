// Package licence finds the licenses of the code that is linked into a program.
package licence

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Files returns the concatenated license files in a folder, which have one of a few customary
// names, or nil if there are no such files or the folder does not exist.
func Files(folder string) (text []byte, err error) {
	files, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) { // a compiler with another folder layout
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("licence files: %w", err)
	}
	for _, f := range files {
		stem, _, _ := strings.Cut(strings.ToUpper(f.Name()), ".")
		switch stem {
		case "LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS", "COPYRIGHT":
		default:
			continue
		}
		if !f.Type().IsRegular() {
			continue
		}
		content, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			return nil, fmt.Errorf("licence file: %w", err)
		}
		text = append(append(text, content...), '\n')
	}
	return text, nil
}
