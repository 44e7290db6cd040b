package main

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/mocksim/scene"
	"gosmp/proto/osi3"
	"gosmp/report/birdseye"
	"gosmp/timebase"
)

// TestDraw_PictureInDocs fails if docs/birdseye.png is not what the command draws.
func TestDraw_PictureInDocs(t *testing.T) {
	const renew = "docs/birdseye.png is not what the program draws; run: go run ./cmd/gosmp draw " +
		"-o docs/birdseye.png"
	file := filepath.Join(t.TempDir(), "birdseye.png")
	command, err := newParser().Parse([]string{"draw", "-o", file})
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

// different counts the pixels that differ. It does not compare bytes, because Go releases compress
// the same pixels differently. Processors with fused multiply-add may move an edge by the smallest
// step of the rasterizer, 1/64 of a pixel, which is 4 of 255 shades of a color. This does not count
// as a difference.
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

// messagesCommand writes a SensorView, a SensorData that contains it, a trace of three SensorViews
// and a truncated one: view.bin, data.bin, trace.osi and cut.osi.
func messagesCommand(ts *testscript.TestScript, _ bool, _ []string) {
	write := func(name string, content []byte) {
		ts.Check(os.WriteFile(ts.MkAbs(name), content, 0o600))
	}
	encode := func(m proto.Message) []byte {
		b, err := proto.Marshal(m)
		ts.Check(err)
		return b
	}
	var trace []byte
	for k := range 3 {
		b := encode(scene.Motorway(timebase.Time(k) * timebase.Second))
		trace = append(binary.LittleEndian.AppendUint32(trace, uint32(len(b))), b...)
	}
	write("trace.osi", trace)
	write("cut.osi", trace[:len(trace)-100])
	s, err := birdseye.Motorway(2 * timebase.Second)
	ts.Check(err)
	write("view.bin", encode(s.View))
	s.Data.Timestamp, s.Data.SensorView = s.View.Timestamp, []*osi3.SensorView{s.View}
	write("data.bin", encode(s.Data))
}

// Traces recorded by other tools are drawn unchanged.
func TestDraw_RecordedTraces(t *testing.T) {
	folder := filepath.Join(root(t), "..", "shared", "data", "osi")
	names, err := filepath.Glob(filepath.Join(folder, "*.osi"))
	require.NoError(t, err)
	if len(names) == 0 {
		t.Skipf("there are no recorded traces in %s", folder)
	}
	for _, name := range names {
		for _, frame := range []string{"1", "10"} {
			out := filepath.Join(t.TempDir(), "a.svg")
			command, err := newParser().Parse([]string{"draw", name, "-o", out, "--frame", frame})
			require.NoError(t, err)
			require.NoError(t, command.Run(), name)
			picture, err := os.ReadFile(out)
			require.NoError(t, err)
			require.Contains(t, string(picture), "SensorView, message "+frame+", at t = ")
			require.Contains(t, string(picture), "moving object (truth)", name)
		}
	}
}
