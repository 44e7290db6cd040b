package opendrive

import "gosmp/frames"

// ErrProjection reports a geoReference that is not understood.
var ErrProjection = frames.ErrProjection

// Projection turns places on the map into latitudes and longitudes in degrees.
type Projection = frames.Projection

// Projection reads the geo reference; see [frames.ParseProjection]. Places are as in
// [Header.World].
func (h *Header) Projection() (Projection, error) { return frames.ParseProjection(h.GeoReference) }
