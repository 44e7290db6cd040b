//go:build asan

package fmitest_test

// addressSanitizer reports a build with -asan, which moves stack objects to the heap.
const addressSanitizer = true
