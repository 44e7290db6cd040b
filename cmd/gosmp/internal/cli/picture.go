package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg/draw"
)

// PictureFormats returns the supported formats; each is also a file name extension.
func PictureFormats() []string { return slices.Sorted(slices.Values(draw.Formats())) }

// PictureFormat returns the format for a file name.
func PictureFormat(name string) (string, error) {
	if name == StandardOutput {
		return "png", nil
	}
	ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
	known := PictureFormats()
	if slices.Contains(known, ending) {
		return ending, nil
	}
	return "", Unexpected("--out", fmt.Sprintf("%q", name), "a name that ends in ."+
		strings.Join(known, ", ."))
}
