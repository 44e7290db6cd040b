//go:build !asan

package fmitest_test

// addressSanitizer says that this is a build with -asan.
const addressSanitizer = false
