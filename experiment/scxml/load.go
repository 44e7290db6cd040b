package scxml

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gosmp/internal/regular"
)

// Dir returns a loader for the files in or below a directory. It accepts relative paths, with or
// without the prefix "file:", and refuses paths that point outside of the directory.
func Dir(dir string) Loader {
	return func(src string) ([]byte, error) {
		name := filepath.FromSlash(strings.TrimPrefix(src, "file:"))
		if !filepath.IsLocal(name) {
			return nil, fmt.Errorf("expected a relative path inside %s", dir)
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, err
		}
		defer root.Close() //nolint:errcheck // nothing was written
		if info, err := root.Stat(name); err == nil {
			if err := regular.Check(src, info); err != nil {
				return nil, err
			}
		}
		file, err := root.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w in %s", fs.ErrNotExist, dir)
		}
		if err != nil {
			return nil, err
		}
		defer file.Close() //nolint:errcheck // nothing was written
		text, err := io.ReadAll(io.LimitReader(file, maxDocument+1))
		if err == nil && len(text) > maxDocument {
			return nil, fmt.Errorf("the file is larger than %d bytes", maxDocument)
		}
		return text, err
	}
}
