//go:build !fmucore

package build

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
)

const (
	iconSize = 256 // pixels
	samples  = 4   // per pixel and axis, for smooth edges
)

var (
	sky    = color.RGBA{0x12, 0x1c, 0x33, 0xff}
	ground = color.RGBA{0x24, 0x4a, 0x3d, 0xff}
	tarmac = color.RGBA{0x4a, 0x52, 0x60, 0xff}
	paint  = color.RGBA{0xf4, 0xf4, 0xee, 0xff}
	wave   = color.RGBA{0x4f, 0xc3, 0xf7, 0xff}
	sensor = color.RGBA{0xff, 0xb3, 0x00, 0xff}
)

// drawIcon draws model.png: a road up to the horizon, and a sensor that looks along it.
func drawIcon() ([]byte, error) {
	icon := image.NewRGBA(image.Rect(0, 0, iconSize, iconSize))
	for y := range iconSize {
		for x := range iconSize {
			icon.SetRGBA(x, y, pixel(x, y))
		}
	}
	var b bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, icon)
	return b.Bytes(), err
}

// pixel averages samples of the picture.
func pixel(x, y int) color.RGBA {
	var r, g, b int
	for i := range samples * samples {
		c := colorAt((float64(x)+float64((float64(i%samples)+0.5)/samples))/iconSize,
			(float64(y)+float64((float64(i/samples)+0.5)/samples))/iconSize)
		r, g, b = r+int(c.R), g+int(c.G), b+int(c.B)
	}
	const n = samples * samples
	return color.RGBA{uint8(r / n), uint8(g / n), uint8(b / n), 0xff}
}

// horizon is the height at which the road ends, as a fraction of the whole height.
const horizon = 0.30

// colorAt returns the colour of the picture at a point in the unit square, with y downwards.
func colorAt(x, y float64) color.RGBA {
	under := landscapeAt(x, y)
	distance, angle := math.Hypot(x-0.5, y-0.9), math.Atan2(x-0.5, 0.9-y)
	switch {
	case distance < 0.06:
		return sensor
	case math.Abs(angle) > 0.62 || distance > 0.74:
		return under
	case math.Mod(distance+0.01, 0.15) > 0.12: // one arc after the other
		return wave
	default:
		return blend(under, wave, 0.22*(1-distance))
	}
}

// landscapeAt returns the colour of the scene at which the sensor looks.
func landscapeAt(x, y float64) color.RGBA {
	if y < horizon {
		return sky
	}
	depth := (y - horizon) / (1 - horizon) // 0 at the horizon, 1 at the lower edge
	side := math.Abs(x-0.5) / (0.02 + float64(0.40*depth))
	switch {
	case side > 1:
		return ground
	case side > 0.90 && side < 0.97:
		return paint
	case side < 0.05 && math.Mod(1.2/(depth+0.15), 1) < 0.5:
		// dashes that shorten with the distance
		return paint
	default:
		return tarmac
	}
}

// blend mixes a with b, whose share is given.
func blend(a, b color.RGBA, share float64) color.RGBA {
	mix := func(p, q uint8) uint8 {
		return uint8(math.Round(float64(float64(p)*(1-share)) + float64(float64(q)*share)))
	}
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}
