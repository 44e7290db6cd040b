package foxglove

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"gosmp/frames"
	"gosmp/proto/foxglove"
	"gosmp/trace/points"
)

// cloudsOf publishes clouds, each on its own topic, and empty clouds on topics that had points
// before.
func (k *Maker) cloudsOf(clouds []points.Cloud) error {
	if k.clouds == nil {
		k.clouds = map[string][]string{}
	}
	before, now := k.clouds[k.topic], []string(nil)
	for n := range clouds {
		c := &clouds[n]
		if len(c.Points) == 0 {
			continue
		}
		topic := fmt.Sprintf("%s/%s/%d", k.topic, strings.ReplaceAll(c.Kind, " ", "_"), c.Index)
		now = append(now, topic)
		if err := k.emit(topic, k.cloud(c)); err != nil {
			return err
		}
	}
	for _, topic := range before {
		if !slices.Contains(now, topic) {
			if err := k.emit(topic, k.cloud(&points.Cloud{})); err != nil {
				return err
			}
		}
	}
	k.clouds[k.topic] = now
	return nil
}

// cloud packs points: x, y, z and their values as 32-bit numbers. Unset values are NaN.
func (k *Maker) cloud(c *points.Cloud) *foxglove.PointCloud {
	const number = 4 // bytes
	p := &foxglove.PointCloud{Timestamp: k.stamp, FrameId: Vehicle, Pose: poseOf(frames.Pose{})}
	for _, field := range append([]string{"x", "y", "z"}, c.Fields...) {
		name, _, _ := strings.Cut(field, ",")
		p.Fields = append(p.Fields, &foxglove.PackedElementField{
			Name: strings.ReplaceAll(name, " ", "_"), Offset: p.PointStride,
			Type: foxglove.PackedElementField_FLOAT32})
		p.PointStride += number
	}
	p.Data = make([]byte, 0, int(p.PointStride)*len(c.Points))
	for _, at := range c.Points {
		for _, x := range append([]float64{at.Position.X, at.Position.Y, at.Position.Z},
			at.Values...) {
			p.Data = binary.LittleEndian.AppendUint32(p.Data, math.Float32bits(float32(x)))
		}
	}
	return p
}
