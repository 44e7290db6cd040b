package bench

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/proto/osi3"
)

// plain replays a scenario in the most obvious way: the whole file in memory as strings, maps and
// floating-point seconds, and a message of generated types for every step.
type plain struct {
	rows   [][]string
	unit   float64 // s
	next   int
	newest float64
	latest map[string][]float64
	origin *frames.LocalMap
}

func openPlain(path string, unit float64) (*plain, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	r := csv.NewReader(f)
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	return &plain{rows: rows[1:], unit: unit, latest: map[string][]float64{}}, nil
}

// step plays all rows up to the time and returns the encoded message.
func (p *plain) step(at float64) ([]byte, error) {
	for p.next < len(p.rows) && p.rows[p.next][0] != "0" {
		row := p.rows[p.next]
		stamp, err := strconv.ParseFloat(row[1], 64)
		if err != nil {
			return nil, err
		}
		first, _ := strconv.ParseFloat(p.rows[0][1], 64)
		if (stamp-first)*p.unit > at+1e-10 {
			break
		}
		fields := []float64{}
		for _, text := range row[2:] {
			x, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return nil, fmt.Errorf("row %d: %w", p.next, err)
			}
			fields = append(fields, x)
		}
		p.latest[row[0]], p.newest = fields, (stamp-first)*p.unit
		p.next++
	}
	return proto.Marshal(p.message(at))
}

func stamp(t float64) *osi3.Timestamp {
	ns := int64(math.Round(t * 1e9))
	return &osi3.Timestamp{Seconds: proto.Int64(ns / 1e9), Nanos: proto.Uint32(uint32(ns % 1e9))}
}

func version() *osi3.InterfaceVersion {
	return &osi3.InterfaceVersion{VersionMajor: proto.Uint32(3), VersionMinor: proto.Uint32(8),
		VersionPatch: proto.Uint32(0)}
}

func id(n uint64) *osi3.Identifier { return &osi3.Identifier{Value: &n} }

func vector(x, y, z float64) *osi3.Vector3D { return &osi3.Vector3D{X: &x, Y: &y, Z: &z} }

func rotation(roll, pitch, yaw float64) *osi3.Orientation3D {
	return &osi3.Orientation3D{Roll: &roll, Pitch: &pitch, Yaw: &yaw}
}

// message returns the SensorData of the newest samples.
func (p *plain) message(at float64) *osi3.SensorData {
	const host = 1 << 32
	base, rmse, motion := &osi3.BaseMoving{}, &osi3.BaseMoving{},
		&osi3.HostVehicleData_VehicleMotion{}
	data := &osi3.SensorData{
		Version: version(), Timestamp: stamp(at), SensorId: id(1),
		LastMeasurementTime: stamp(p.newest), HostVehicleLocation: base,
		MountingPosition: &osi3.MountingPosition{Position: vector(0, 0, 0), Orientation: rotation(0,
			0, 0)},
	}
	vehicle := &osi3.HostVehicleData{
		Location: base, Version: version(), Timestamp: stamp(at), HostVehicleId: id(host),
		VehicleMotion: motion,
	}
	truth := &osi3.GroundTruth{
		Version: version(), Timestamp: stamp(at), HostVehicleId: id(host),
		MovingObject: []*osi3.MovingObject{{
			Id: id(host), Base: base, Type: osi3.MovingObject_TYPE_VEHICLE.Enum(),
			VehicleAttributes: &osi3.MovingObject_VehicleAttributes{},
			VehicleClassification: &osi3.MovingObject_VehicleClassification{
				Type: osi3.MovingObject_VehicleClassification_TYPE_OTHER.Enum()},
		}},
		EnvironmentalConditions: &osi3.EnvironmentalConditions{},
	}
	yaw, height := 0.0, 0.0
	if g := p.latest["4"]; g != nil {
		yaw, height = p.fix(g, base, rmse, vehicle, truth)
		data.HostVehicleLocationRmse, vehicle.LocationRmse = rmse, rmse
		utc := int64(g[3])
		data.SystemTime = &osi3.Timestamp{Seconds: proto.Int64(utc / 1e6),
			Nanos: proto.Uint32(uint32(utc % 1e6 * 1e3))}
		truth.EnvironmentalConditions.UnixTimestamp = proto.Int64(utc / 1e6)
	}
	p.inertial(base, motion, yaw)
	p.weather(truth.EnvironmentalConditions, height)
	data.SensorView = []*osi3.SensorView{{
		Version: version(), Timestamp: stamp(at), SensorId: id(1),
		MountingPosition: data.MountingPosition, HostVehicleData: vehicle, GlobalGroundTruth: truth,
		HostVehicleId: id(host),
	}}
	return data
}

func (p *plain) fix(g []float64, base, rmse *osi3.BaseMoving, vehicle *osi3.HostVehicleData,
	truth *osi3.GroundTruth) (yaw, height float64) {
	place := frames.Geodetic{Latitude: g[1] / 1e9, Longitude: g[2] / 1e9, Altitude: g[0] / 1e3}
	if p.origin == nil {
		m := frames.NewLocalMap(place)
		p.origin = &m
	}
	at := p.origin.Position(place)
	truth.ProjString = proto.String(p.origin.ProjString())
	base.Position, base.Velocity = vector(at.X, at.Y, at.Z), vector(g[9]/1e3, g[8]/1e3, -g[10]/1e3)
	rmse.Position, rmse.Velocity = vector(g[11]/1e3, g[11]/1e3, g[12]/1e3), vector(g[13]/1e3,
		g[13]/1e3, g[13]/1e3)
	vehicle.VehicleMotion.Position = base.Position
	vehicle.VehicleLocalization = &osi3.HostVehicleData_VehicleLocalization{
		Position: base.Position, GeodeticPosition: &osi3.GeodeticPosition{
			Latitude: &place.Latitude, Longitude: &place.Longitude, Altitude: &place.Altitude,
		},
	}
	if g[14] == 0 && g[16] == 0 {
		return math.NaN(), at.Z
	}
	yaw = math.Remainder(math.Pi/2-g[14]/1e3, 2*math.Pi)
	base.Orientation = &osi3.Orientation3D{Yaw: &yaw}
	rmse.Orientation = &osi3.Orientation3D{Yaw: proto.Float64(g[16] / 1e3)}
	vehicle.VehicleMotion.Orientation, vehicle.VehicleLocalization.Orientation = base.Orientation,
		base.Orientation
	v := frames.RotateZ(frames.Vector{X: g[9] / 1e3, Y: g[8] / 1e3, Z: -g[10] / 1e3}, -yaw)
	vehicle.VehicleMotion.Velocity = vector(v.X, v.Y, v.Z)
	return yaw, at.Z
}

func (p *plain) inertial(base *osi3.BaseMoving, motion *osi3.HostVehicleData_VehicleMotion,
	yaw float64) {
	if a := p.latest["1"]; a != nil {
		forward := frames.Vector{X: a[0] / 1e3, Y: -a[1] / 1e3, Z: -a[2]/1e3 - 9.80665}
		motion.Acceleration = vector(forward.X, forward.Y, forward.Z)
		if !math.IsNaN(yaw) && p.latest["4"] != nil {
			w := frames.RotateZ(forward, yaw)
			base.Acceleration = vector(w.X, w.Y, w.Z)
		}
	}
	if r := p.latest["8"]; r != nil {
		motion.OrientationRate = rotation(r[0]/1e3, -r[1]/1e3, -r[2]/1e3)
		base.OrientationRate = motion.OrientationRate
	}
}

func (p *plain) weather(e *osi3.EnvironmentalConditions, height float64) {
	temperature := 288.15
	for _, sensor := range []struct {
		kind  string
		field int
	}{{"2", 1}, {"32", 0}} {
		if f := p.latest[sensor.kind]; f != nil {
			temperature = f[sensor.field]
			e.Temperature = proto.Float64(temperature)
		}
	}
	if f := p.latest["2"]; f != nil {
		e.AtmosphericPressure = proto.Float64(frames.PressureBelow(f[0], temperature, height))
	}
}

// unitSeconds holds the units of time that the benchmarks use.
var unitSeconds = map[string]float64{"ms": 1e-3, "us": 1e-6}

func runPlain(b *testing.B, s scenario) {
	b.ReportAllocs()
	var p *plain
	perRun := int(s.stop / s.step)
	for n := range b.N {
		k := n % perRun
		if k == 0 {
			b.StopTimer()
			var err error
			if p, err = openPlain(s.path, unitSeconds[s.unit]); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
		if _, err := p.step(float64(k+1) * s.step); err != nil {
			b.Fatal(err)
		}
	}
}
