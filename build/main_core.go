//go:build fmucore

package build

import "gosmp/fmu"

// Option has no effect in the core.
type Option struct{}

// Documentation ignores its text in the core.
func Documentation(string) Option { return Option{} }

// Examination ignores its function in the core.
func Examination(Examiner) Option { return Option{} }

// Main does nothing in the core, which only reacts to calls by the host.
func Main(func() *fmu.Definition, ...Option) {}

// Bundles ignores its file in the core.
func Bundles(Bundled) Option { return Option{} }
