// Package licence finds the licences of what is linked into a program.
package licence

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Files joins the licence files in a folder; nil if there are none, or no such folder. The files go
// by a few customary names.
func Files(folder string) (text []byte, err error) {
	files, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) { // a compiler that is laid out in another way
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
