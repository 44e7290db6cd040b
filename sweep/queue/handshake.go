package queue

import (
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
)

// distrust returns what to do about a certificate of the server that is not accepted.
func distrust(err error) string {
	var invalid x509.CertificateInvalidError
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "; renew the server's certificate, or correct the clock of this machine"
	case errors.As(err, &unknown):
		return "; give the server's certificate, or its authority, by --nats-ca"
	case errors.As(err, &name):
		return "; use a name or address that the server's certificate contains"
	}
	return ""
}

// handshakes is a log of a server of which only failed TLS handshakes are reported.
type handshakes struct {
	failed func(address string, err error)
}

// Errorf implements server.Logger. The server writes the address and the number of the client
// before the text, and the cause after it.
func (h *handshakes) Errorf(format string, v ...any) {
	client, cause, is := strings.Cut(fmt.Sprintf(format, v...), "TLS handshake error: ")
	if !is {
		return
	}
	address, _, _ := strings.Cut(client, " - ")
	for _, one := range v {
		if err, is := one.(error); is {
			h.failed(address, err)
			return
		}
	}
	h.failed(address, errors.New(cause))
}

// Noticef implements server.Logger.
func (*handshakes) Noticef(string, ...any) {}

// Warnf implements server.Logger.
func (*handshakes) Warnf(string, ...any) {}

// Fatalf implements server.Logger.
func (*handshakes) Fatalf(string, ...any) {}

// Debugf implements server.Logger.
func (*handshakes) Debugf(string, ...any) {}

// Tracef implements server.Logger.
func (*handshakes) Tracef(string, ...any) {}
