package queue

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// schemes lists the schemes of addresses of NATS servers.
var schemes = []string{"nats", "tls", "ws", "wss"}

// CheckURL refuses a list of addresses, as in [Server.URL], that cannot lead to a server. The error
// shows no secrets.
func CheckURL(list string) error {
	for one := range strings.SplitSeq(list, ",") {
		if found := wrongIn(strings.TrimSpace(one)); found != "" {
			return fmt.Errorf("%w: found %s, expected nats://HOST:PORT, tls:// or ws://, several "+
				"separated by commas",
				ErrAccess, found)
		}
	}
	return nil
}

// wrongIn describes what is wrong with an address, or returns "".
func wrongIn(address string) string {
	if address == "" {
		return "an empty address"
	}
	if !strings.Contains(address, "://") {
		address = "nats://" + address // as the client completes it
	}
	u, err := url.Parse(address)
	if err != nil {
		return "an address that is no URL"
	}
	port := u.Port()
	number, err := strconv.ParseUint(port, 10, 16)
	switch {
	case !slices.Contains(schemes, u.Scheme):
		return fmt.Sprintf("the scheme %q", u.Scheme)
	case strings.Count(u.Host, ":") > 1 && u.Host[0] != '[':
		return "an address with two ports"
	case u.Hostname() == "" || u.Hostname() == ".":
		return fmt.Sprintf("%q, which names no host", u.Redacted())
	case port != "" && (err != nil || number == 0):
		return fmt.Sprintf("port %s", port)
	}
	return ""
}
