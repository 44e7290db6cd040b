package foxglove

import (
	"encoding/json"
	"math"

	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/proto/foxglove"
	"gosmp/proto/osi3"
)

// geography is the position of a world on earth.
type geography struct {
	text       string
	projection frames.Projection // nil if the text cannot be parsed
}

// onEarth returns a function that converts a position in the world of a truth to longitude and
// latitude in degrees.
func (k *Maker) onEarth(g *osi3.GroundTruth) func(frames.Vector) (longitude, latitude float64) {
	if text := g.GetProjString(); text != "" && text != k.geo.text {
		k.geo.text = text
		k.geo.projection, _ = frames.ParseProjection(text) // nil if unknown, so nothing is placed
	}
	if k.geo.projection == nil {
		return nil
	}
	offset := g.GetProjFrameOffset()
	sin, cos := portable.Sincos(offset.GetYaw())
	return func(v frames.Vector) (longitude, latitude float64) {
		latitude, longitude = k.geo.projection.Geodetic(
			float64(v.X*cos)-float64(v.Y*sin)+offset.GetPosition().GetX(),
			float64(v.X*sin)+float64(v.Y*cos)+offset.GetPosition().GetY())
		return longitude, latitude
	}
}

// place emits the position of the host vehicle on earth, if the truth states where its world is.
func (k *Maker) place(g *osi3.GroundTruth, at frames.Vector) error {
	earth := k.onEarth(g)
	if earth == nil {
		return nil
	}
	longitude, latitude := earth(at)
	return k.fix(latitude, longitude, at.Z)
}

func (k *Maker) fix(latitude, longitude, altitude float64) error {
	if math.IsNaN(latitude + longitude) {
		return nil
	}
	return k.emit(k.topic+"/location", &foxglove.LocationFix{Timestamp: k.stamp, FrameId: Vehicle,
		Latitude: latitude, Longitude: longitude, Altitude: altitude,
		PositionCovariance: make([]float64, 9)}) // unknown, but the schema wants nine numbers
}

// hostData emits the position measured by a vehicle.
func (k *Maker) hostData(d *osi3.HostVehicleData) error {
	p := d.GetVehicleLocalization().GetGeodeticPosition()
	if p == nil || p.Latitude == nil || p.Longitude == nil {
		return nil
	}
	topic := k.topic
	k.topic += "/host_vehicle_data"
	defer func() { k.topic = topic }()
	return k.fix(p.GetLatitude(), p.GetLongitude(), p.GetAltitude())
}

type feature struct {
	Type       string            `json:"type"`
	Properties map[string]string `json:"properties"`
	Geometry   geometry          `json:"geometry"`
}

type geometry struct {
	Type        string       `json:"type"`
	Coordinates [][2]float64 `json:"coordinates"`
}

// lanesOnEarth returns the lane boundaries for a map.
func (k *Maker) lanesOnEarth(g *osi3.GroundTruth) error {
	earth := k.onEarth(g)
	if earth == nil {
		return nil
	}
	var features []feature
	add := func(kind string, line []*foxglove.Point3) {
		f := feature{"Feature", map[string]string{"name": kind}, geometry{Type: "LineString"}}
		for _, p := range line {
			longitude, latitude := earth(frames.Vector{X: p.X, Y: p.Y})
			if math.IsNaN(longitude + latitude) {
				return
			}
			const digits = 1e8 // a millimetre
			f.Geometry.Coordinates = append(f.Geometry.Coordinates,
				[2]float64{math.Round(longitude*digits) / digits,
					math.Round(latitude*digits) / digits})
		}
		if len(line) > 1 {
			features = append(features, f)
		}
	}
	for _, b := range g.GetLaneBoundary() {
		add(name(b.GetClassification().GetType().String()), lineOf(b.GetBoundaryLine()))
	}
	if len(features) == 0 {
		for _, b := range g.GetLogicalLaneBoundary() {
			add("logical lane boundary", lineOf(b.GetBoundaryLine()))
		}
	}
	text, err := json.Marshal(map[string]any{"type": "FeatureCollection", "features": features})
	if err != nil || len(features) == 0 {
		return err
	}
	return k.emit(k.topic+"/map", &foxglove.GeoJSON{Geojson: string(text)})
}
