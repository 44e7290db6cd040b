// Package storyboard runs the storyboard of a scenario: which element starts and ends when, by
// sections 7 and 8 of the user guide of ASAM OpenSCENARIO XML 1.3. It knows no map and no simulator:
// what happens to entities is the business of a [World].
package storyboard
