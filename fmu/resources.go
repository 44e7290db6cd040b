package fmu

import (
	"fmt"
	"net/url"
	"runtime"
	"strings"
)

// ResourcePath turns the resourceLocation of fmi2Instantiate into a path: a file URI with or without authority, every percent
// escape decoded (FMI 2.0, 2.1.5, RFC 3986). Importers are not careful here, so that a plain path is taken as it is, an escape that
// is none stands for itself, and an empty location is an empty path. Other schemes are refused.
func ResourcePath(location string) (string, error) {
	scheme, rest, found := strings.Cut(location, ":")
	if !found || len(scheme) < 2 || strings.ContainsAny(scheme, `/\`) { // one letter is a drive
		return location, nil
	}
	if !strings.EqualFold(scheme, "file") {
		return "", wrongArgument("fmuResourceLocation", fmt.Sprintf("%q", location), "a file URI such as file:///tmp/fmu/resources")
	}
	if authority, found := strings.CutPrefix(rest, "//"); found {
		// Everything up to the next slash is a host; only this one can be meant.
		rest = authority[max(strings.Index(authority, "/"), 0):]
	}
	path, err := url.PathUnescape(rest)
	if err != nil {
		path = rest
	}
	if runtime.GOOS == "windows" && len(path) > 2 && path[0] == '/' && path[2] == ':' {
		path = path[1:]
	}
	return path, nil
}
