package bridges

import (
	"fmt"
	"net/netip"
	"os"

	"gosmp/bridge/dds"
	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/internal/plaintext"
)

// domain holds the flags of commands that join a DDS domain.
type domain struct {
	Domain  *int   `placeholder:"N" help:"The DDS domain, 0 to 232; by default the value of ROS_DOMAIN_ID, or 0."`
	Address string `default:"127.0.0.1" placeholder:"IP" help:"The network, given as an IPv4 address of this machine; by default, only programs on this machine are visible."`
}

// join joins the domain as a ROS 2 node.
func (d *domain) join(node string) (*dds.Participant, error) {
	address, err := netip.ParseAddr(d.Address)
	if err != nil {
		return nil, cli.Unexpected("--address", fmt.Sprintf("%q", d.Address),
			"an IPv4 address of this machine")
	}
	s := dds.Settings{Address: address, Node: node, Warn: func(text string) {
		fmt.Fprintln(os.Stderr, "gosmp: warning: "+plaintext.Shown(text))
	}}
	if s.Domain, err = dds.UsualDomain(); err != nil && d.Domain == nil {
		return nil, cli.Invalid("ROS_DOMAIN_ID", err)
	}
	if d.Domain != nil {
		s.Domain = *d.Domain
	}
	p, err := dds.Join(s)
	if err != nil {
		return nil, cli.Invalid("--domain", err)
	}
	return p, nil
}
