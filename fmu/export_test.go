package fmu

import "gosmp/fmi"

// Legal reports whether a function may be called in a state.
func Legal(f Function, v fmi.Version, s fmi.State) bool { return f.check(v, s) == nil }
