package server

import (
	"errors"
	"os"

	"gosmp/bridge"
)

// Open makes the carrier of a configuration. A file begins anew.
func Open(c *bridge.Config, o Options) (bridge.Carrier, error) {
	switch c.Transport.Kind {
	case "websocket":
		return ListenWebSocket(c.Transport.Address, c, o)
	case "tcp":
		return ListenTCP(c.Transport.Address, c, o)
	case "mcap":
		return record(c)
	}
	return &bridge.Loopback{To: o.Receive}, nil
}

// recording closes the file after the records.
type recording struct {
	*bridge.MCAP
	file *os.File
}

func record(c *bridge.Config) (bridge.Carrier, error) {
	f, err := os.Create(c.Transport.Path)
	if err != nil {
		return nil, err
	}
	m, err := bridge.NewMCAP(f, c)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return recording{m, f}, nil
}

// Close finishes the file.
func (r recording) Close() error { return errors.Join(r.MCAP.Close(), r.file.Close()) }
