// Package timebase is DUECA's notion of time: instants and spans in integer nanoseconds.
package timebase
