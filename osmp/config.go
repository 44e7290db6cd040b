package osmp

import (
	"bytes"

	"gosmp/fmu"
	"gosmp/internal/state"
)

// ConfigRequest is the SensorView handshake: the model requests a configuration, and the host
// answers with the configuration that it will provide, and from then on the request repeats the
// answer (OSMP 0.3.0, "Sensor View Input Configuration").
type ConfigRequest struct {
	request *Output
	config  *Input
}

// NewConfigRequest creates the pair of OSMPSensorViewInConfigRequest and OSMPSensorViewInConfig.
func NewConfigRequest(h fmu.Host, request, config Place) *ConfigRequest {
	return &ConfigRequest{request: NewOutput(h, request), config: NewInput(h, config)}
}

// Update brings the request up to date. It must be called when the instance initializes. wanted is
// the encoded configuration that the model requests. The result is the host's configuration, byte
// for byte, or nil if the host has not set one. As long as nothing has changed, the published bytes
// stay in place, so the host can read the three integers one at a time.
func (c *ConfigRequest) Update(wanted []byte) (agreed []byte, err error) {
	agreed, presence := c.config.Capture()
	if presence == Data {
		wanted = agreed
	}
	if bytes.Equal(c.request.Message(), wanted) {
		return agreed, nil
	}
	return agreed, c.request.Publish(wanted)
}

// Agreed returns the host's configuration as of the last Update, or nil if there is none.
func (c *ConfigRequest) Agreed() []byte {
	if c.config.holds != Data {
		return nil
	}
	return c.config.held
}

// Pending reports whether the host has set a configuration since the last Update.
func (c *ConfigRequest) Pending() bool { return c.config.Pending() }

// Reset discards the host's configuration; the request is empty until the next Update.
func (c *ConfigRequest) Reset() {
	c.config.Reset()
	c.request.Clear()
}

// Close frees all memory.
func (c *ConfigRequest) Close() { c.request.Close() }

// AppendState appends both sides of the handshake.
func (c *ConfigRequest) AppendState(b []byte) []byte {
	return c.config.AppendState(c.request.AppendState(b))
}

// RestoreState restores both sides.
func (c *ConfigRequest) RestoreState(d *state.Decoder) error {
	if err := c.request.RestoreState(d); err != nil {
		return err
	}
	c.config.RestoreState(d)
	return nil
}
