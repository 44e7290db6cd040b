//go:build fmucore

package export

// #cgo LDFLAGS: -ldl
import "C" // threads_linux.c looks for a symbol; before glibc 2.34 that takes a library of its own
