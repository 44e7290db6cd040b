package main

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBirdseye_PictureInDocs fails when docs/birdseye.png is not what the command draws.
func TestBirdseye_PictureInDocs(t *testing.T) {
	const renew = "docs/birdseye.png is not what the program draws; run: go run ./cmd/gosmp birdseye -o docs/birdseye.png"
	file := filepath.Join(t.TempDir(), "birdseye.png")
	command, err := newParser().Parse([]string{"birdseye", "-o", file})
	require.NoError(t, err)
	require.NoError(t, command.Run())
	drawn, shown := decode(t, file), decode(t, filepath.Join(root(t), "docs", "birdseye.png"))
	require.Equal(t, drawn.Bounds(), shown.Bounds(), renew)
	require.Zero(t, different(drawn, shown), "pixels differ: %s", renew)
}

func decode(t *testing.T, file string) image.Image {
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	picture, err := png.Decode(bytes.NewReader(content))
	require.NoError(t, err)
	return picture
}

// different counts the pixels that differ. Bytes are not compared: releases of Go pack the same pixels differently.
// Processors that multiply and add with one rounding may move an edge by the smallest step of the rasterizer, 1/64 of a
// pixel, which is 4 of 255 shades of a colour; that is no difference.
func different(a, b image.Image) int {
	const tolerance = 8 * 0x101
	count := 0
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			r1, g1, b1, _ := a.At(x, y).RGBA()
			r2, g2, b2, _ := b.At(x, y).RGBA()
			for _, d := range [...]int{int(r1) - int(r2), int(g1) - int(g2), int(b1) - int(b2)} {
				if d > tolerance || -d > tolerance {
					count++
					break
				}
			}
		}
	}
	return count
}
