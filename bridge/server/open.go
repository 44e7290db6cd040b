package server

import (
	"gosmp/bridge"
	"gosmp/bridge/dds"
)

// Open makes the carrier of a configuration. A file that gosmp has recorded begins anew with the
// first message, or when its method Begin is called; any other one is refused.
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
