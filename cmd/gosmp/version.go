package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"gosmp/internal/release"
	"gosmp/osmp"
	"gosmp/proto/osi"
)

// versions returns the versions that a bug report should contain, one per line.
func versions() string {
	revision := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		revision = release.Revision(info)
	}
	return fmt.Sprintf("%s\nrevision %s\nbuilt with %s for %s/%s\nOSI %s\nOSMP %s, %s",
		release.Tool, cmp.Or(revision, "not recorded (go build in a checkout records it)"),
		runtime.Version(), runtime.GOOS, runtime.GOARCH, osi.Version, osmp.Version030,
		osmp.Version160)
}
