package server

import (
	"gosmp/bridge"
	"gosmp/bridge/dds"
)

// Open creates the carrier for a configuration. A file recorded by gosmp is replaced at the first
// message or when the method Begin is called; any other file is refused.
func Open(c *bridge.Config, o Options) (bridge.Carrier, error) {
	switch c.Transport.Kind {
	case "websocket":
		return ListenWebSocket(c.Transport.Address, c, o)
	case "tcp":
		return ListenTCP(c.Transport.Address, c, o)
	case "dds":
		return dds.Open(c, dds.Options{Receive: o.Receive, Warn: o.Warn})
	case "mcap":
		return record(c)
	}
	return &bridge.Loopback{To: o.Receive}, nil
}
