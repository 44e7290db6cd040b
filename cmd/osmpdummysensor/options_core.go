//go:build fmucore

package main

import "gosmp/build"

// options returns nil, because the core does not need the options for packing.
func options() []build.Option { return nil }
