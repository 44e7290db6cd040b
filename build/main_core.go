//go:build fmucore

package build

import "gosmp/fmu"

// Option is empty in the core.
type Option struct{}

// Documentation drops its text in the core.
func Documentation(string) Option { return Option{} }

// Examination drops its function in the core.
func Examination(Examiner) Option { return Option{} }

// Main does nothing in the core, in which only the host's calls run.
func Main(func() *fmu.Definition, ...Option) {}

// Bundles drops its file in the core.
func Bundles(Bundled) Option { return Option{} }
