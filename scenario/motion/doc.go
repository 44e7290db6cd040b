// Package motion is the geometry and the kinematics of the actions of OpenSCENARIO, without maps
// and entities: transition shapes, speed profiles, trajectories and synchronization.
//
//	t := motion.Transition{Shape: motion.Sinusoidal, From: 10, To: 20, Duration: 5}
//	v := t.At(2.5)                    // 15
//	way := t.Integral(0, 2.5)         // m
//	line, err := motion.NewPolyline(vertices, motion.Corners)
//	p := line.At(12.5)                // the point after 12.5 m
//
// SI units, radians, ISO 8855. Everything is computed in closed form or from a table that is built
// once. Evaluation never allocates, and results have the same bits on every platform.
//
// Sources: ASAM OpenSCENARIO XML 1.3.1, sections 7.4 (actions), 6.9 (trajectories) and the class
// documentation of DynamicsShape, Clothoid, ClothoidSpline and Nurbs; Piegl and Tiller, The NURBS
// Book, for the basis functions.
//
// Index: [Shape], [Transition] with [ParseShape]; [Profile] of [ProfileEntry]s; [Meeting] for
// SynchronizeAction; [Spring] for distances; [Curve] with [NewPolyline], [NewClothoids],
// [NewNURBS].
package motion
