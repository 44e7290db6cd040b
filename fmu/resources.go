package fmu

import (
	"fmt"
	"net/url"
	"runtime"
	"strings"
)

// ResourcePath turns the resourceLocation of fmi2Instantiate into a path: a file URI with or without authority, every percent
// escape decoded (FMI 2.0, 2.1.5, RFC 3986). Importers are not careful here, so that a plain path is taken as it is, an escape that
// is not one stands for itself, and an empty location is an empty path. Other schemes are refused.
func ResourcePath(location string) (string, error) {
	return resourcePath(location, runtime.GOOS == "windows")
}

func resourcePath(location string, windows bool) (string, error) {
	scheme, rest, found := strings.Cut(location, ":")
	if !found || len(scheme) < 2 || strings.ContainsAny(scheme, `/\`) { // one letter is a drive
		return location, nil
	}
	if !strings.EqualFold(scheme, "file") {
		return "", wrongArgument("fmuResourceLocation", fmt.Sprintf("%q", location), "a file URI such as file:///tmp/fmu/resources")
	}
	if authority, found := strings.CutPrefix(rest, "//"); found {
		rest = withoutHost(authority, windows)
	}
	path, err := url.PathUnescape(rest)
	if err != nil {
		path = rest
	}
	if windows && len(path) > 2 && path[0] == '/' && path[2] == ':' {
		path = path[1:]
	}
	return path, nil
}

// withoutHost is what follows file://, without the host that it may begin with. Only this machine can be meant by it, but on Windows
// it names the server of a share, or, where an importer has left out a slash, the drive.
func withoutHost(authority string, windows bool) string {
	slash := max(strings.IndexByte(authority, '/'), 0)
	host, path := authority[:slash], authority[slash:]
	switch {
	case !windows || host == "" || strings.EqualFold(host, "localhost"):
		return path
	case len(host) == 2 && host[1] == ':':
		return authority
	}
	return "//" + authority
}
