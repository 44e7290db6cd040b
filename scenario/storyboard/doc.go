// Package storyboard runs the storyboard of a scenario: it decides when each element starts and
// ends, following sections 7 and 8 of the user guide of ASAM OpenSCENARIO XML 1.3. It has no map
// and no simulator: a [World] decides what happens to entities.
//
//	b, errs := storyboard.New(resolved, world, storyboard.Options{Observe: log})
//	for err := b.Start(); err == nil && !b.Ended(); {
//		err = b.Step(next) // moves the world, then evaluates
//	}
//
// # An evaluation
//
// Each evaluation happens at one time. First, actions that have reached their goal end, as do all
// elements whose children are complete. Then one pass traverses the storyboard from the top, in
// document order: it evaluates the stop trigger of an element, its start trigger while the element
// is in standby, and then its content. When an element starts, its children are visited and its
// actions are started in the same pass.
//
// The state of an element is a level, which conditions see as long as it lasts. Each condition sees
// a transition once: conditions that come later in a pass see it in that pass, and conditions that
// come earlier see it in the next one. All conditions of a trigger are evaluated, whatever their
// results. The start trigger of an element is evaluated only while the element is in standby.
//
// # Conditions
//
// A condition first compares a value, for any or all of its entities. Then it applies its edge,
// which is false at the first evaluation, and then its delay, which uses the result of the latest
// evaluation that is at least that old. Numbers are compared with a tolerance of 1e-9 + 1e-12 |b|,
// because times are sums of steps.
//
// # Actions
//
// A new action of an actor stops older actions in the same [Domain], for all of their actors. This
// includes the actions of Init.
//
// Types: [Board] runs a storyboard, which consists of [Element] values; [Condition] is one of its
// conditions. It uses [World], [Action] and [Measure], and reports each [Event].
package storyboard
