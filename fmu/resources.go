package fmu

import (
	"fmt"
	"net/url"
	"runtime"
	"strings"
)

// ResourcePath turns the resourceLocation of fmi2Instantiate into a path: a file URI with or
// without authority, with every percent escape decoded (FMI 2.0, 2.1.5, RFC 3986). Importers do not
// always follow this, so a plain path is accepted unchanged, an invalid escape is kept literally,
// and an empty location gives an empty path. Other schemes are refused.
func ResourcePath(location string) (string, error) {
	return resourcePath(location, runtime.GOOS == "windows")
}

func resourcePath(location string, windows bool) (string, error) {
	scheme, rest, found := strings.Cut(location, ":")
	// a single letter is a drive
	if !found || len(scheme) < 2 || strings.ContainsAny(scheme, `/\`) {
		return location, nil
	}
	if !strings.EqualFold(scheme, "file") {
		return "", wrongArgument("fmuResourceLocation", fmt.Sprintf("%q", location),
			"a file URI such as file:///tmp/fmu/resources")
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

// withoutHost removes the host, if there is one, from the text after file://. The host can only be
// this machine, except on Windows, where it is the server of a share or, if the importer has
// omitted a slash, the drive.
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
