package frames

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"gosmp/internal/decimal"
	"gosmp/internal/fault"
)

// ErrProjection reports an unsupported PROJ string.
var ErrProjection = errors.New("geoReference not understood")

// Projection converts places on the map to latitudes and longitudes in degrees.
type Projection interface {
	Geodetic(x, y float64) (latitude, longitude float64)
}

// ParseProjection reads a PROJ string with +proj=utm, tmerc or ortho. A string with lat_0 and lon_0
// but without +proj is read as tmerc. For anything else it returns [ErrProjection].
func ParseProjection(text string) (Projection, error) {
	p := projString{}
	for _, word := range strings.Fields(text) {
		key, value, _ := strings.Cut(strings.TrimPrefix(word, "+"), "=")
		p[key] = value
	}
	kind, ok := p["proj"]
	if _, hasLatitude := p["lat_0"]; !ok && hasLatitude {
		kind = "tmerc"
	}
	switch kind {
	case "utm":
		return p.utm()
	case "tmerc":
		return p.mercator()
	case "ortho":
		return p.ortho()
	}
	return nil, refuseProjection(fmt.Sprintf("%q", clipText(text)),
		"+proj=utm, +proj=tmerc or +proj=ortho")
}

func refuseProjection(found, expected string) error {
	return fault.New(ErrProjection, fault.At("geoReference"), found, expected)
}

// projString holds the parameters of a PROJ string.
type projString map[string]string

func (p projString) number(key string, missing float64) (float64, error) {
	text, ok := p[key]
	if !ok {
		return missing, nil
	}
	x, err := decimal.Float(text, 64)
	if err != nil {
		return 0, refuseProjection("+"+key+"="+clipText(text), "a number")
	}
	return x, nil
}

// numbers reads several numbers. A missing number keeps its default.
func (p projString) numbers(keys []string, to []*float64) error {
	for k, key := range keys {
		x, err := p.number(key, *to[k])
		if err != nil {
			return err
		}
		*to[k] = x
	}
	return nil
}

func (p projString) utm() (Projection, error) {
	zone, err := strconv.Atoi(p["zone"])
	if err != nil || zone < 1 || zone > 60 {
		return nil, refuseProjection("+zone="+clipText(p["zone"]), "1 to 60")
	}
	_, south := p["south"]
	m := UTM(zone, south)
	m.Ellipsoid, err = p.ellipsoid()
	return m, err
}

func (p projString) mercator() (Projection, error) {
	m := TransverseMercator{Scale: 1}
	if k, ok := p["k_0"]; ok {
		p["k"] = k
	}
	err := p.numbers([]string{"lat_0", "lon_0", "k", "x_0", "y_0"}, []*float64{&m.Latitude,
		&m.Longitude, &m.Scale, &m.Easting, &m.Northing})
	if err != nil {
		return nil, err
	}
	if m.Scale <= 0 {
		return nil, refuseProjection(fmt.Sprintf("+k=%g", m.Scale), "a scale above 0")
	}
	m.Ellipsoid, err = p.ellipsoid()
	return m, err
}

func (p projString) ortho() (Projection, error) {
	var o Geodetic
	if err := p.numbers([]string{"lat_0", "lon_0"}, []*float64{&o.Latitude,
		&o.Longitude}); err != nil {
		return nil, err
	}
	return NewLocalMap(o), nil
}

// ellipsoid reads datum or ellps; the default is WGS 84.
func (p projString) ellipsoid() (Ellipsoid, error) {
	name := p["ellps"]
	if name == "" {
		name = p["datum"]
	}
	switch strings.ToLower(name) {
	case "", "wgs84":
		return WGS84, nil
	case "grs80", "nad83":
		return GRS80, nil
	case "bessel":
		return Bessel, nil
	}
	return Ellipsoid{}, refuseProjection(clipText(name), "ellipsoid WGS84, GRS80 or bessel")
}

// clipText shortens a text for use in an error message.
func clipText(s string) string {
	const longest = 40
	if len(s) <= longest {
		return s
	}
	return s[:longest] + "..."
}
