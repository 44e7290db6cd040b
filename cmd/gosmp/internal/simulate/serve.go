package simulate

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/experiment/trial"
	"gosmp/internal/gate"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/support"
	"gosmp/run"
	"gosmp/run/traffic"
	"gosmp/simapi"
)

// serve serves a map with its traffic over TCP.
func (c *Command) serve(m *opendrive.Map) error {
	if err := c.traffic().Check(); err != nil {
		return traffic.WithFlag(err)
	}
	sim := support.New(support.Options{Map: m, Workers: c.Workers, Traffic: c.traffic(),
		Populated: func(w *mocksim.World) {
			if text := run.LackOfRoom(w, c.traffic()); text != "" {
				warn(text)
			}
		}})
	return c.offer(sim)
}

// serveScenario serves a scenario to a director.
func (c *Command) serveScenario() error {
	if c.Serve == "" {
		return cli.Unexpected("gosmp simulate", c.Map+", a scenario, without --serve",
			"a map, or --serve ADDRESS; gosmp run "+c.Map+" runs it")
	}
	if err := c.onlyServes(); err != nil {
		return err
	}
	if c.Actors != nil || c.Speed != 0 || c.Changes || c.Workers != 1 || c.Flow != 0 {
		return cli.Unexpected("--actors, --speed, --flow, --lane-changes, --workers",
			c.Map+", a scenario",
			"a map (OpenDRIVE), with traffic")
	}
	o := run.Defaults(c.Map)
	o.Point = c.Point
	for _, text := range c.Set {
		s, err := trial.ParseSetting(text)
		if err != nil {
			return err
		}
		o.Set = append(o.Set, s)
	}
	sim, err := run.ServedScenario(o)
	if err != nil {
		return err
	}
	return c.offer(sim)
}

// onlyServes refuses flags that have no effect on a served simulator.
func (c *Command) onlyServes() error {
	if c.Bridge != "" {
		return cli.Unexpected("--bridge", "--serve as well",
			"only one of them: messages of a director are carried by gosmp bridge generate")
	}
	if unused := c.unserved(); len(unused) > 0 {
		return cli.Unexpected(strings.Join(unused, ", "), "--serve as well",
			"only one of them: the director controls the simulation, and records it")
	}
	return nil
}

// offer serves a simulator until a signal ends it.
func (c *Command) offer(sim simapi.Simulator) error {
	rules, err := c.Rules()
	if err != nil {
		return err
	}
	rules.TurnedAway = func(err error) { warn("client turned away: " + err.Error()) }
	l, err := rules.Listen(c.Serve)
	if errors.Is(err, gate.ErrRefused) {
		return cli.Invalid("--serve", err)
	}
	if errors.Is(err, gate.ErrCertificate) {
		return cli.Invalid("--tls-cert, --tls-key", err)
	}
	if err != nil {
		return cli.Unexpected("--serve", fmt.Sprintf("%q (%v)", c.Serve, err),
			"an address to listen on, such as 127.0.0.1:7788")
	}
	server := simapi.NewServer(simapi.Config{Name: "gosmp mocksim", Simulator: sim,
		Token: rules.Token})
	fmt.Fprintf(os.Stderr, "serving %s at %s\n", c.Map, l.Addr())
	return cli.CleaningUp(func(ctx context.Context) error {
		stop := context.AfterFunc(ctx, func() { _ = server.Close() })
		defer stop()
		if err := server.Serve(l); err != nil && ctx.Err() == nil && !errors.Is(err,
			net.ErrClosed) {
			return err
		}
		return nil
	})
}
