// Package play plays a scenario to its end and judges it: it steps a storyboard with its world,
// writes trajectories, and evaluates requirements stated outside of the file, because OpenSCENARIO
// itself has no verdicts.
//
//	p, err := play.New(resolved, world, play.Options{Step: timebase.Every(0.01)})
//	result, err := p.Run(ctx)
//	fmt.Println(result.Outcome, result.EndedBy)
//
// # Requirements
//
// A [Requirement] is one line of text:
//
//	no collision                          of the ego vehicle with anything; also: of A with B
//	min ttc > 0.5                         also max, mean, final, initial; without: at all times
//	speed of Target <= 50 km/h            QUANTITY [of ENTITY] [to ENTITY] RULE NUMBER [UNIT]
//	impact speed < 10 km/h                0 without a collision
//	reaction to event CutIn < 1.2         s until the ego vehicle brakes with 1 m/s2
//	event CutIn complete                  KIND NAME started, ended, complete, stopped or skipped
//	not event Overtake started
//	monitor TooClose                      its value at the end is true
//
// Quantities are speed, acceleration, deceleration, jerk, offset (the absolute distance from the
// centre of the lane), overspeed (above the lane's limit) and traveled. Relative to another entity,
// or to the nearest one, they are distance (between the boxes), pet (post-encroachment time, on
// squares of 0.25 m), ttc (time to collision) and headway (time headway). The last two are measured
// along the entity, and only while the other entity is within its width. A quantity that was never
// defined satisfies only a requirement on its minimum, and only in these cases: ttc and headway if
// the other entity is never ahead, and pet if the other entity never enters the places of the
// entity. Any other requirement is then undecided, and does not pass.
//
// The ego vehicle is the entity named Ego, Host or Hero in upper or lower case, or else the first
// one.
//
// Types: [Player] with [Options], [Result] with [Verdict] and [Collision], [Requirement].
package play
