package birdseye_test

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/proto/osi3"
	"gosmp/report/birdseye"
)

// texts returns the texts of a picture, in order.
func texts(t *testing.T, s *birdseye.Snapshot) (list []string) {
	var svg bytes.Buffer
	require.NoError(t, birdseye.Write(&svg, "svg", s))
	for _, m := range regexp.MustCompile(`(?s)<text[^>]*>(.*?)</text>`).FindAllSubmatch(
		svg.Bytes(), -1) {
		list = append(list, string(m[1]))
	}
	return list
}

func place(x, y float64) *osi3.Vector3D {
	return &osi3.Vector3D{X: proto.Float64(x), Y: proto.Float64(y), Z: proto.Float64(0)}
}

func number(n uint64) *osi3.Identifier { return &osi3.Identifier{Value: proto.Uint64(n)} }

func moving(id uint64, x, y float64) *osi3.MovingObject {
	return &osi3.MovingObject{Id: number(id), Base: &osi3.BaseMoving{Position: place(x, y),
		Dimension: &osi3.Dimension3D{Length: proto.Float64(4), Width: proto.Float64(2),
			Height: proto.Float64(1)}, Orientation: &osi3.Orientation3D{}}}
}

// The title names the type of the message, whichever it is.
func TestOf_NamesEachKind(t *testing.T) {
	at := &osi3.Timestamp{Seconds: proto.Int64(2), Nanos: proto.Uint32(500_000_000)}
	two := []*osi3.MovingObject{moving(4, 1, 2), moving(5, 30, 2)}
	truth := &osi3.GroundTruth{Timestamp: at, HostVehicleId: number(4), MovingObject: two}
	mounted := &osi3.MountingPosition{Position: place(3.6, 0),
		Orientation: &osi3.Orientation3D{}}
	const at25, there = ", at t = 2.50 s: ", "2 moving and 0 stationary objects"
	for title, m := range map[string]proto.Message{
		"GroundTruth" + at25 + there:   truth,
		"TrafficUpdate" + at25 + there: &osi3.TrafficUpdate{Timestamp: at, Update: two},
		"StreamingUpdate" + at25 + there: &osi3.StreamingUpdate{Timestamp: at,
			MovingObjectUpdate: two},
		"HostVehicleData" + at25 + "1 moving and 0 stationary objects": &osi3.HostVehicleData{
			Timestamp: at, HostVehicleId: number(4), Location: two[0].GetBase()},
		"SensorView" + at25 + there:             &osi3.SensorView{Timestamp: at, GlobalGroundTruth: truth},
		"SensorView" + at25 + "no ground truth": &osi3.SensorView{Timestamp: at},
		"SensorData" + at25 + "0 moving and 0 stationary objects detected": &osi3.SensorData{
			Timestamp: at, SensorId: number(7), MountingPosition: mounted},
		"SensorView, without a timestamp: " + there: &osi3.SensorView{GlobalGroundTruth: truth},
	} {
		kind, rest, _ := strings.Cut(title, ",")
		title = kind + " of channel c, message 3," + rest
		s, err := birdseye.Of(m)
		require.NoError(t, err)
		s.Channel, s.Message = "c", 3
		all := texts(t, s)
		require.Equal(t, title, all[0])
		_, update := m.(*osi3.TrafficUpdate)
		require.Equal(t, update, slices.Contains(all, " moving object (TrafficUpdate)"))
		if update {
			require.NotContains(t, all, " moving object (truth)")
		}
	}
	s, err := birdseye.Of(&osi3.TrafficCommand{})
	require.NoError(t, err)
	require.Nil(t, s)
}

// The title names the sensor and the host vehicle as far as the message names them.
func TestOf_NamesTheSensor(t *testing.T) {
	truth := &osi3.GroundTruth{MovingObject: []*osi3.MovingObject{moving(4, 0, 0)}}
	view := &osi3.SensorView{SensorId: number(7), HostVehicleId: number(4),
		MountingPosition: &osi3.MountingPosition{Position: place(3.6, -0.5),
			Orientation: &osi3.Orientation3D{}}, GlobalGroundTruth: truth}
	const line = "Sensor 7, host vehicle 4, mounted at x = 3.6, y = -0.5, z = 0 m, yaw 0°."
	s, err := birdseye.Of(view)
	require.NoError(t, err)
	require.Equal(t, line, texts(t, s)[1])
	s, err = birdseye.Of(&osi3.SensorData{SensorId: view.SensorId,
		MountingPosition: view.MountingPosition, SensorView: []*osi3.SensorView{view, view}})
	require.NoError(t, err)
	got := texts(t, s)
	require.Equal(t, line, got[1])
	require.Equal(t, "In the first of the 2 SensorViews that it contains: 1 moving and 0 "+
		"stationary objects.", got[2])
	s, err = birdseye.Of(&osi3.SensorView{GlobalGroundTruth: truth})
	require.NoError(t, err)
	require.NotContains(t, texts(t, s)[1], "ensor")
}

// An object with the id 0 is not taken for the host vehicle of a message that names none.
func TestOf_NoHost(t *testing.T) {
	truth := &osi3.GroundTruth{MovingObject: []*osi3.MovingObject{moving(0, 1, 2), moving(5, 30, 2)}}
	s, err := birdseye.Of(truth)
	require.NoError(t, err)
	require.NotContains(t, texts(t, s), " host vehicle")
	truth.HostVehicleId = number(0)
	s, err = birdseye.Of(truth)
	require.NoError(t, err)
	require.Contains(t, texts(t, s), " host vehicle")
}
