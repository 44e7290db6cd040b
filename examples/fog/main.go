// Command fog builds OSMPFog.fmu, an environmental effect model. Its input is the SensorView of a
// simulation, in clear air; its output is the SensorView that a sensor may receive in fog.
//
// # The model
//
// Fog is described by its visibility V, the meteorological optical range: the path length in air
// that leaves 5 % of a beam's luminous flux (WMO-No. 8, chapter 9, and OSI,
// EnvironmentalConditions.Fog). By Bouguer's law a fraction exp(-d ln 20 / V) is left after the
// distance d.
//
// By Koschmieder's law the contrast between an object and the sky behind it fades in the same way.
// An object that has the contrast C nearby is visible, to a sensor that can distinguish contrasts
// down to E, up to the sight range
//
//	range = V ln(C/E) / ln 20
//
// which is V itself for a black object (C = 1) and the observer of the definition (E = 0.05).
// Moving objects, stationary objects and traffic signs are dropped if no part of their box is
// within that range of the sensor's mounting position, and so are references to them (trailers, and
// limiting structures of lane boundaries). An object without a position cannot be judged, and
// stays.
//
// A lidar loses light on the way there and back. Its reflections stay in their order, one for each
// ray, while their signal_strength falls by
//
//	10 dB log10(20) c time_of_flight / V
//
// EnvironmentalConditions.fog becomes OSI's class for V. Everything else passes through unchanged,
// including fields that OSI does not define: the host vehicle, traffic lights, which glow, lanes
// and markings, which a map may contain, radar, which fog hardly weakens, and camera images.
//
// # Limits
//
// Fog is the same everywhere. Koschmieder's law applies to daylight. Droplets are assumed to be
// larger than all wavelengths, so that the lidar loses as much as the eye; that holds in fog of V <
// 500 m, while in haze near infrared reaches further (Kim et al., 2001).
//
// # Missing or invalid input
//
// Without input there is no output. The same holds for bytes that are not a SensorView, or one
// whose host vehicle is not in its ground truth, because the position of the sensor is then
// unknown. The model logs this once in a run.
package main

import (
	"gosmp/build"
	"gosmp/export"
	"gosmp/model"
	"gosmp/osmp"
)

func init() { export.Register(definition.FMU) }

func main() { build.Main(definition.FMU) }

var definition = model.Definition{
	Identifier: "OSMPFog", Name: "OSMP example fog", Version: "1.0.0",
	Description: "Environmental effect model: fog hides objects of a SensorView and weakens " +
		"lidar reflections",
	New: func(d *model.Declaration) model.Model {
		f := &fog{in: d.Input(osmp.SensorViewIn), out: d.Output(osmp.SensorViewOut)}
		model.Parameter(d, &f.visibility, "visibility", 100,
			"meteorological optical range, which leaves 5 % of the light", model.Unit("m"),
			model.Between(1, 1e6), model.Tunable())
		model.Parameter(d, &f.contrast, "contrast.object", 1, "of nearby objects against the sky",
			model.Unit("1"), model.Between(1e-6, 1), model.Tunable())
		model.Parameter(d, &f.threshold, "contrast.threshold", 0.05,
			"that the sensor can just distinguish", model.Unit("1"), model.Between(1e-6, 1),
			model.Tunable())
		model.PlainOutput(d, &f.sight, "sight.range", "distance at which objects vanish",
			model.Unit("m"),
			model.Calculated("visibility", "contrast.object", "contrast.threshold"))
		model.PlainOutput(d, &f.valid, "valid", "there is a SensorView")
		model.PlainOutput(d, &f.moving, "dropped.moving", "moving objects that the fog hides")
		model.PlainOutput(d, &f.stationary, "dropped.stationary",
			"stationary objects that the fog hides")
		model.PlainOutput(d, &f.signs, "dropped.signs", "traffic signs that the fog hides")
		return f
	},
}
