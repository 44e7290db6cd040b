//go:build !asan

package testfmu

// sanitizers are the flags with which FMUs are compiled in a build with -asan.
var sanitizers []string
