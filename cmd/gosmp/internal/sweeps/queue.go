package sweeps

import (
	"fmt"
	"os"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/internal/plaintext"
	"gosmp/sweep/queue"
)

// queueFlags holds the flags for the queue of a sweep.
type queueFlags struct {
	NATS        string `name:"nats" env:"GOSMP_NATS" placeholder:"URL" help:"NATS server with the queue of runs, such as nats://TOKEN@HOST:4222; several addresses are separated by commas."`
	Credentials string `name:"nats-creds" type:"existingfile" predictor:"file" placeholder:"FILE" help:"Credentials of a user of the NATS server (.creds)."`
	CA          string `name:"nats-ca" type:"existingfile" predictor:"file" placeholder:"FILE" help:"Certificates of authorities to trust in addition to those of the machine (PEM)."`
	Certificate string `name:"nats-cert" type:"existingfile" predictor:"file" placeholder:"FILE" help:"Certificate of this client, with --nats-key (PEM)."`
	Key         string `name:"nats-key" type:"existingfile" predictor:"file" placeholder:"FILE" help:"Key of this client (PEM)."`
}

// server returns the server of the flags.
func (f *queueFlags) server() queue.Server {
	return queue.Server{URL: f.NATS, Credentials: f.Credentials, CA: f.CA,
		Certificate: f.Certificate, Key: f.Key}
}

// sayer returns a function that prints messages about a queue, each on its own line.
func sayer(command string) queue.Log {
	return func(line string) {
		line = plaintext.Shown(line)
		if cli.AnimationWidth(os.Stderr) > 0 {
			line = "\r\x1b[K" + "gosmp " + command + ": " + line
		} else {
			line = "gosmp " + command + ": " + line
		}
		fmt.Fprintln(os.Stderr, line)
	}
}
