//go:build fmucore

package main

import "gosmp/build"

// options are not for the core: nobody packs it there.
func options() []build.Option { return nil }
