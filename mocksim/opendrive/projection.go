package opendrive

import "gosmp/frames"

// ErrProjection reports an unsupported geoReference.
var ErrProjection = frames.ErrProjection

// Projection converts places on the map to latitudes and longitudes in degrees.
type Projection = frames.Projection

// Projection reads the geo reference; see [frames.ParseProjection]. Places are in the coordinates
// of [Header.World].
func (h *Header) Projection() (Projection, error) { return frames.ParseProjection(h.GeoReference) }
