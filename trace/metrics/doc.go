// Package metrics measures traffic and sensors in traces: how critical the traffic is, and how good
// a sensor is.
//
//	result, err := metrics.Measure(source, metrics.Options{}, func(v metrics.Value) error { ... })
//
// All lengths are horizontal. An object is a rectangle with the length and width of its bounding
// box, rotated by its yaw about its position, the center of the box. The GroundTruth names the host
// vehicle. H is its heading, v its speed along H, and the corridor is the strip of its width along
// H.
//
//	speed                   |velocity| of each object that has one, m/s
//	gap                     of each object that reaches into the corridor ahead: distance along H
//	                        from the host's front to the object's rear, 0 when they overlap, m
//	time_to_collision       of the same objects, gap / closing speed when they come closer, s;
//	                        closing speed = v - speed of the object along H
//	headway                 of the nearest of them: gap / v when the host moves, s (time headway)
//	post_encroachment_time  of each object whose area the host shares at another time: from when
//	                        the first of both has left a place until the second enters it, s; the
//	                        smallest of all places of the trace; positive when the host was there
//	                        first, negative when the object was, 0 when both are there at once
//	detection_rate          part of the true objects in range that a SensorData has; no value when
//	                        there is none, nor for a sensor that gives points and never an object
//	false_detections        number of detected objects that belong to no true object; no value
//	                        when there are neither true objects in range nor detected ones
//	position_error          of each detected object: distance from its true position, m
//	velocity_error          likewise, between the velocities in the frame of the sensor, which
//	                        moves with the host: |detected - true|, m/s
//	yaw_error               likewise, the angle between the headings, from 0 to π, rad
//	length_error            likewise, detected minus true length, m
//	width_error             likewise, width, m
//
// Detections are in the frame of the sensor, which SensorData.mounting_position places relative to
// the host vehicle's rear axle (OSI 3.8.0).
//
// Places are squares of 0.25 m, and objects are assumed to move in a straight line between
// messages. A post-encroachment time is therefore accurate to within the time that the slower
// object takes to cross two squares. Detected objects belong to the true object that they name
// (header.ground_truth_id), or else to the nearest one within Options.Gate. The truth comes from
// the SensorView that a SensorData carries, or else it is the newest ground truth that is not later
// than the last measurement.
//
// Messages are read from their bytes, without generated types, so that measuring a trace takes
// about as long as checking it.
//
// Guarantees: the trace is read in one pass, and memory holds only a few messages and the places of
// the last 30 s. The same trace always gives the same values.
//
// Types: [Options], [Value], [Result] with [Summary]; [Metric] describes a metric.
package metrics
