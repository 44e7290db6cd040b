//go:build asan

package fmitest_test

// addressSanitizer says that this is a build with -asan, which moves what would lie on the stack to the heap.
const addressSanitizer = true
