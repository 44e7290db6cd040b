// Package pagetest compares pages with approved pictures.
//
// Guarantee: different fonts and small differences between browser versions are ignored, but any
// change that a reader would notice is detected.
//
// CONTRIBUTING.md explains how to renew the pictures.
//
// Function: [LooksAsBefore].
package pagetest

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// block is the number of screenshot pixels per pixel of a golden picture, in each direction.
// Letters in another font become gray in the same places.
const block = 8

// LooksAsBefore compares screenshots of a page of a height in pixels, in light and dark mode, with
// testdata/light.png and testdata/dark.png. GOSMP_GOLDEN=write writes new pictures for approval. It
// skips the test without Chromium, or with -short.
func LooksAsBefore(t *testing.T, page []byte, height int) {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil || testing.Short() {
		t.Skip("needs chromium, and not -short")
	}
	for mode, scheme := range map[string]string{"light": "1", "dark": "0"} {
		t.Run(mode, func(t *testing.T) {
			seen := coarse(shot(t, chromium, page, scheme, height))
			file := filepath.Join("testdata", mode+".png")
			if os.Getenv("GOSMP_GOLDEN") == "write" {
				var b bytes.Buffer
				require.NoError(t, png.Encode(&b, seen))
				require.NoError(t, os.MkdirAll("testdata", 0o755)) //nolint:gosec // tracked
				err := os.WriteFile(file, b.Bytes(), 0o644)        //nolint:gosec // tracked
				require.NoError(t, err)
			}
			b, err := os.ReadFile(file)
			require.NoError(t, err)
			golden, err := png.Decode(bytes.NewReader(b))
			require.NoError(t, err)
			mean, far := difference(t, golden, seen)
			require.Less(t, mean, 2.5, "mean difference of the brightness, of 255")
			require.Less(t, far, 0.02, "share of places that are much brighter or darker")
		})
	}
}

// shot returns a screenshot of a page.
func shot(t *testing.T, chromium string, text []byte, scheme string, height int) image.Image {
	t.Helper()
	folder := t.TempDir()
	file, out := filepath.Join(folder, "page.html"), filepath.Join(folder, "page.png")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu",
		"--hide-scrollbars", "--force-device-scale-factor=1", "--user-data-dir="+t.TempDir(),
		"--blink-settings=preferredColorScheme="+scheme, "--window-size=960,"+strconv.Itoa(height),
		"--screenshot="+out, "file://"+file)
	said, err := c.CombinedOutput()
	require.NoError(t, err, string(said))
	b, err := os.ReadFile(out)
	require.NoError(t, err, string(said))
	picture, err := png.Decode(bytes.NewReader(b))
	require.NoError(t, err)
	return picture
}

// coarse returns the mean brightness of each block of a picture.
func coarse(p image.Image) *image.Gray {
	size := p.Bounds().Size()
	small := image.NewGray(image.Rect(0, 0, size.X/block, size.Y/block))
	for y := range size.Y / block {
		for x := range size.X / block {
			sum := 0
			for k := range block * block {
				at := p.At(x*block+k%block, y*block+k/block)
				sum += int(color.GrayModel.Convert(at).(color.Gray).Y)
			}
			small.SetGray(x, y, color.Gray{Y: uint8(sum / (block * block))})
		}
	}
	return small
}

// difference returns the mean difference in brightness of two pictures, and the fraction of pixels
// where it is large.
func difference(t *testing.T, a, b image.Image) (mean, far float64) {
	t.Helper()
	require.Equal(t, a.Bounds().Size(), b.Bounds().Size())
	const large = 32
	size := a.Bounds().Size()
	for y := range size.Y {
		for x := range size.X {
			grey := func(p image.Image) float64 {
				return float64(color.GrayModel.Convert(p.At(x, y)).(color.Gray).Y)
			}
			d := math.Abs(grey(a) - grey(b))
			mean += d
			if d > large {
				far++
			}
		}
	}
	n := float64(size.X * size.Y)
	return mean / n, far / n
}
