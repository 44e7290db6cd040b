package page

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
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// block is the number of screenshot pixels per pixel of a golden picture, in each direction.
// Letters of another font become grey in the same places.
const block = 8

// TestPage_LooksAsBefore compares screenshots of a page in light and dark mode with pictures that
// someone has approved. GOSMP_GOLDEN=write writes new pictures for approval.
func TestPage_LooksAsBefore(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil || testing.Short() {
		t.Skip("needs chromium, and not -short")
	}
	var text bytes.Buffer
	require.NoError(t, Write(&text, whole, drive()))
	for name, scheme := range map[string]string{"light": "1", "dark": "0"} {
		t.Run(name, func(t *testing.T) {
			seen := coarse(shot(t, chromium, text.Bytes(), scheme))
			file := filepath.Join("testdata", name+".png")
			if os.Getenv("GOSMP_GOLDEN") == "write" {
				var b bytes.Buffer
				require.NoError(t, png.Encode(&b, seen))
				err := os.WriteFile(file, b.Bytes(), 0o644) //nolint:gosec // part of the repository
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

// TestDifference: a visible change is a difference; a little noise is not.
func TestDifference(t *testing.T) {
	a, b := image.NewGray(image.Rect(0, 0, 100, 100)), image.NewGray(image.Rect(0, 0, 100, 100))
	for k := range b.Pix {
		b.Pix[k] = uint8(k % 3)
	}
	mean, far := difference(t, a, b)
	require.InDelta(t, 1, mean, 0.01)
	require.Zero(t, far)
	for k := range 1000 {
		b.Pix[k] = 100
	}
	_, far = difference(t, a, b)
	require.InDelta(t, 0.1, far, 1e-9)
}

// shot returns a screenshot of a page.
func shot(t *testing.T, chromium string, text []byte, scheme string) image.Image {
	t.Helper()
	folder := t.TempDir()
	file, out := filepath.Join(folder, "page.html"), filepath.Join(folder, "page.png")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu",
		"--hide-scrollbars", "--force-device-scale-factor=1", "--user-data-dir="+t.TempDir(),
		"--blink-settings=preferredColorScheme="+scheme, "--window-size=960,1040",
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

// difference returns the mean difference in brightness of two pictures, and the share of pixels
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
