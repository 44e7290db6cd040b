//go:build fmucore

package main

import "gosmp/build"

// options are for packing only, so the core has none.
func options() []build.Option { return nil }
