package birdseye_test

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/proto/osi3"
	"gosmp/report/birdseye"
)

func away(distance, azimuth float64) *osi3.Spherical3D {
	return &osi3.Spherical3D{Distance: proto.Float64(distance), Azimuth: proto.Float64(azimuth),
		Elevation: proto.Float64(0)}
}

// detections is a SensorData of four kinds of sensors.
func detections() *osi3.SensorData {
	f := &osi3.FeatureData{
		LidarSensor: []*osi3.LidarDetectionData{{Detection: []*osi3.LidarDetection{
			{Position: away(10, 0), Intensity: proto.Float64(20)},
			{Position: away(12, 0.1), Intensity: proto.Float64(70),
				FreeSpaceProbability: proto.Float64(0.5)},
		}}},
		RadarSensor: []*osi3.RadarDetectionData{{Detection: []*osi3.RadarDetection{
			{Position: away(30, -0.2), RadialVelocity: proto.Float64(-4), Rcs: proto.Float64(9)},
		}}},
		CameraSensor: []*osi3.CameraDetectionData{{Point: []*osi3.CameraPoint{
			{Point: away(8, 0.3), ExistenceProbability: proto.Float64(0.9)},
		}}},
		UltrasonicSensor: []*osi3.UltrasonicDetectionData{
			{Detection: []*osi3.UltrasonicDetection{{Distance: proto.Float64(1.5)}}},
			{Detection: []*osi3.UltrasonicDetection{{Distance: proto.Float64(2.5)}}},
		},
	}
	return &osi3.SensorData{FeatureData: f}
}

func TestWrite_ShowsPoints(t *testing.T) {
	s, err := birdseye.Of(detections())
	require.NoError(t, err)
	got := texts(t, s)
	require.Equal(t, "SensorData without a timestamp", got[0], "a long title has two lines")
	require.Equal(t, "0 moving and 0 stationary objects detected, 2 lidar detections, 1 radar "+
		"detection, 1 camera detection, 2 ultrasonic detections of 2 sensors.", got[1])
	require.Contains(t, got, " lidar detection: intensity 20 to 70 %")
	require.Contains(t, got, " radar detection: radial velocity -4 to -4 m/s")
	require.Contains(t, got, " camera detection: existence probability 0.9 to 0.9")
	require.Contains(t, got, " ultrasonic detection of sensor 1: distance")

	for field, line := range map[string]string{
		"x":                      " lidar detection: x 10 to 11.94 m",
		"rcs":                    " radar detection: rcs 9 to 9 dB m2",
		"free space probability": " lidar detection: free space probability 0.5 to 0.5",
	} {
		s.Color = field
		require.Contains(t, texts(t, s), line)
	}
}

// Reflections are the input of a sensor, in a SensorView.
func TestWrite_ShowsReflections(t *testing.T) {
	const speedOfLight = 299_792_458.0
	s, err := birdseye.Of(&osi3.SensorView{RadarSensorView: []*osi3.RadarSensorView{{
		Reflection: []*osi3.RadarSensorView_Reflection{
			{SignalStrength: proto.Float64(-80), TimeOfFlight: proto.Float64(40 / speedOfLight),
				DopplerShift: proto.Float64(100)}},
	}}})
	require.NoError(t, err)
	got := texts(t, s)
	require.Contains(t, got[0], "no ground truth, 1 radar reflection")
	require.Contains(t, got, " radar reflection: signal strength -80 to -80 dB")
}

func TestWrite_ColorsByAKnownField(t *testing.T) {
	s, err := birdseye.Of(detections())
	require.NoError(t, err)
	s.Color = "doppler shift"
	var picture bytes.Buffer
	err = birdseye.Write(&picture, "svg", s)
	require.ErrorIs(t, err, birdseye.ErrColor)
	require.ErrorContains(t, err, `found "doppler shift", expected one of x, y, z, intensity, `+
		"free space probability, radial velocity, rcs, existence probability")
	require.Zero(t, picture.Len())

	s, err = birdseye.Of(&osi3.SensorView{})
	require.NoError(t, err)
	s.Color = "x"
	require.ErrorContains(t, birdseye.Write(&picture, "svg", s), "a message without points")
}

// Two points with different values have different colors, and a value that is not set has none of
// these.
func TestWrite_ColorsDiffer(t *testing.T) {
	d := detections()
	d.FeatureData.RadarSensor, d.FeatureData.CameraSensor = nil, nil
	d.FeatureData.UltrasonicSensor = nil
	lidar := d.FeatureData.LidarSensor[0]
	lidar.Detection = append(lidar.Detection, &osi3.LidarDetection{Position: away(14, 0.2)})
	s, err := birdseye.Of(d)
	require.NoError(t, err)
	var svg bytes.Buffer
	require.NoError(t, birdseye.Write(&svg, "svg", s))
	for _, hue := range []string{"#1E3CBE", "#C81E1E", "#6E747A"} {
		require.Regexp(t, "(?i)fill:"+hue, svg.String())
	}
}

// A polar picture has rings with distances instead of a square grid.
func TestWrite_Polar(t *testing.T) {
	s, err := birdseye.Of(detections())
	require.NoError(t, err)
	square := texts(t, s)
	s.Polar = true
	var rings []string
	is := regexp.MustCompile(`^\d+ m$`)
	for _, text := range texts(t, s) {
		if is.MatchString(text) {
			rings = append(rings, text)
		}
	}
	require.NotEmpty(t, rings)
	for _, text := range square {
		require.NotRegexp(t, is, text)
	}
}

// Bulbs have the color in which they shine; a bulb that is off has none.
func TestWrite_ShowsLightsAndSigns(t *testing.T) {
	light := func(c osi3.TrafficLight_Classification_Color,
		m osi3.TrafficLight_Classification_Mode) *osi3.TrafficLight {
		return &osi3.TrafficLight{Base: &osi3.BaseStationary{Position: place(20, 4)},
			Classification: &osi3.TrafficLight_Classification{Color: c.Enum(), Mode: m.Enum()}}
	}
	truth := &osi3.GroundTruth{
		TrafficLight: []*osi3.TrafficLight{
			light(osi3.TrafficLight_Classification_COLOR_RED,
				osi3.TrafficLight_Classification_MODE_CONSTANT),
			light(osi3.TrafficLight_Classification_COLOR_GREEN,
				osi3.TrafficLight_Classification_MODE_OFF),
		},
		TrafficSign: []*osi3.TrafficSign{{MainSign: &osi3.TrafficSign_MainSign{
			Base: &osi3.BaseStationary{Position: place(10, -4)}}}},
		Lane: []*osi3.Lane{{Classification: &osi3.Lane_Classification{
			Centerline: []*osi3.Vector3D{place(0, 0), place(50, 0)}}}},
	}
	s, err := birdseye.Of(truth)
	require.NoError(t, err)
	got := texts(t, s)
	require.Contains(t, got, " traffic light, red")
	require.Contains(t, got, " traffic light, off or unknown")
	require.NotContains(t, got, " traffic light, green")
	require.Contains(t, got, " traffic sign")
	require.Contains(t, got, " centerline of a lane")
}

func TestWrite_ShowsDetectedLaneBoundaries(t *testing.T) {
	line := []*osi3.LaneBoundary_BoundaryPoint{{Position: place(1, 2)}, {Position: place(40, 2)}}
	s, err := birdseye.Of(&osi3.SensorData{LaneBoundary: []*osi3.DetectedLaneBoundary{
		{BoundaryLine: line}}})
	require.NoError(t, err)
	require.Contains(t, texts(t, s), " detected lane boundary")
}
