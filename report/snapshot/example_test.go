package snapshot_test

import (
	"bytes"
	"fmt"

	"google.golang.org/protobuf/proto"

	"gosmp/proto/osi3"
	"gosmp/report/birdseye"
	"gosmp/report/snapshot"
)

// Draw a single message.
func ExampleOf() {
	m := &osi3.GroundTruth{MovingObject: []*osi3.MovingObject{{
		Id: &osi3.Identifier{Value: proto.Uint64(7)},
		Base: &osi3.BaseMoving{Position: &osi3.Vector3D{X: proto.Float64(20), Y: proto.Float64(5)},
			Dimension: &osi3.Dimension3D{Length: proto.Float64(4), Width: proto.Float64(2)}}}}}
	content, _ := proto.Marshal(m)
	s, err := snapshot.Of("truth.bin", bytes.NewReader(content), int64(len(content)),
		snapshot.Options{Type: "GroundTruth"})
	if err != nil {
		fmt.Println(err)
		return
	}
	var picture bytes.Buffer
	err = birdseye.Write(&picture, "svg", s)
	fmt.Println(s.Kind, len(s.View.GetGlobalGroundTruth().GetMovingObject()), picture.Len() > 0, err)
	// Output: GroundTruth 1 true <nil>
}
