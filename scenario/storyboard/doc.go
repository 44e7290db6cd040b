// Package storyboard runs the storyboard of a scenario: which element starts and ends when, by
// sections 7 and 8 of the user guide of ASAM OpenSCENARIO XML 1.3. It has no map and no simulator:
// what happens to entities is up to a [World].
//
//	b, errs := storyboard.New(resolved, world, storyboard.Options{Observe: log})
//	for err := b.Start(); err == nil && !b.Ended(); {
//		err = b.Step(next) // moves the world, then evaluates
//	}
//
// # An evaluation
//
// Each evaluation is at one time. First, actions that have reached their goal end, and with them
// all elements whose children are complete. Then one pass goes through the storyboard from the top,
// in the order of the document: the stop trigger of an element, its start trigger while it is in
// standby, then what it contains. What starts has its children visited in the same pass, and its
// actions started.
//
// A state of an element is a level: it holds as long as it lasts. A transition is seen once by each
// condition: in the pass in which it happens by conditions that come later in the pass, in the next
// one by those that come earlier. All conditions of a trigger are evaluated, whatever the others
// are; the trigger of an element that is not in standby is not.
//
// # Conditions
//
// A condition is the comparison of a value, for entities by any or all of them; then its edge, for
// which the first evaluation is false; then its delay, which takes the result at the newest
// evaluation that is at least so old. Numbers are compared with a tolerance of 1e-9 + 1e-12 |b|,
// because times are sums of steps.
//
// # Actions
//
// A new action of an actor stops older ones in the same [Domain], for all of their actors. The
// actions of Init take part in that.
//
// Types: [Board] runs a storyboard made of [Element]; [Condition] is one of its conditions;
// It uses [World], [Action] and [Measure], and reports each [Event].
package storyboard
