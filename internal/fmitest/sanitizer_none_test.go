//go:build !asan

package fmitest_test

// addressSanitizer reports a build with -asan.
const addressSanitizer = false
