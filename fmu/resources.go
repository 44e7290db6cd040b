package fmu

import (
	"encoding/hex"
	"fmt"
	"runtime"
	"strings"
)

// ResourcePath turns the resourceLocation of fmi2Instantiate into a path: a file URI with or without authority, every percent
// escape decoded (FMI 2.0, 2.1.5, RFC 3986). Importers are not careful here, so that a plain path is taken as it is, an escape that
// is none stands for itself, and an empty location is an empty path. Other schemes are refused.
func ResourcePath(location string) (string, error) {
	return resourcePath(location, runtime.GOOS == "windows")
}

func resourcePath(location string, windows bool) (string, error) {
	scheme, rest, found := strings.Cut(location, ":")
	if !found || len(scheme) < 2 || strings.IndexByte(scheme, '/') >= 0 || strings.IndexByte(scheme, '\\') >= 0 { // one letter is a drive
		return location, nil
	}
	if !equalFold(scheme, "file") {
		return "", wrongArgument("fmuResourceLocation", fmt.Sprintf("%q", location), "a file URI such as file:///tmp/fmu/resources")
	}
	if authority, found := strings.CutPrefix(rest, "//"); found {
		rest = withoutHost(authority, windows)
	}
	path, ok := unescape(rest)
	if !ok {
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
	case !windows || host == "" || equalFold(host, "localhost"):
		return path
	case len(host) == 2 && host[1] == ':':
		return authority
	}
	return "//" + authority
}

// equalFold is strings.EqualFold for ASCII, without the tables of Unicode.
func equalFold(a, b string) bool {
	small := func(c byte) byte {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		return c
	}
	for i := 0; i < len(a) && i < len(b); i++ {
		if small(a[i]) != small(b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

// unescape decodes percent escapes. Package net/url would, too, and bring internet addresses into the core that importers load.
func unescape(text string) (decoded string, ok bool) {
	var b strings.Builder
	for {
		plain, rest, found := strings.Cut(text, "%")
		b.WriteString(plain)
		if !found {
			return b.String(), true
		}
		if len(rest) < 2 {
			return "", false
		}
		c, err := hex.DecodeString(rest[:2])
		if err != nil {
			return "", false
		}
		b.Write(c)
		text = rest[2:]
	}
}
