//go:build !linux || !cgo

package probe

import "context"

// Knows reports whether code is a function that a probe can call.
func Knows(string) bool { return false }

// Supported returns [ErrUnsupported].
func Supported() error { return ErrUnsupported }

// Run returns [ErrUnsupported].
func Run(context.Context, []Op, Options) (*Result, error) { return nil, ErrUnsupported }
