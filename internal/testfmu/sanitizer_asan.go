//go:build asan

package testfmu

// sanitizers are the flags with which FMUs are compiled in a build with -asan: what they write
// outside the memory of their importer is found as well.
var sanitizers = []string{"-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"}
