//go:build fmucore

package main

// documentation is not for the core: nobody asks it there.
func documentation() string { return "" }
