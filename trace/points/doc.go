// Package points extracts the points that sensors have measured: detections of lidars, radars,
// cameras and ultrasonic sensors in a SensorData, and reflections in a SensorView.
//
//	for _, c := range points.OfData(data) {
//		fmt.Println(c.Kind, c.Fields, len(c.Points))
//	}
//
// Points are in m in the frame of the host vehicle: the origin is at the middle of the rear axle, x
// points forward, y to the left, and z up. The position of a detection is relative to the sensor,
// which is at the mounting position in the header of its detections, or else at the mounting
// position of the whole message (OSI 3.8.0, SensorDetectionHeader). Points that have a position
// without a distance, or numbers that are not finite, are left out.
//
// Types: [Cloud], [Point], [Arc].
package points
