package cli

import (
	"strings"

	"gosmp/internal/gate"
	"gosmp/internal/regular"
)

// Access holds the flags of commands that accept connections from programs and web pages.
type Access struct {
	Origins []string `group:"Clients" name:"allow-origin" sep:"none" placeholder:"ORIGIN" help:"Let pages of this origin receive, such as https://app.example.org; may be repeated. By default, pages from this machine, desktop viewers and programs may connect."`
	Driving []string `group:"Clients" name:"allow-driving-from" sep:"none" placeholder:"ORIGIN" help:"Let pages of this origin receive and send; may be repeated."`
	Secrets
}

// Secrets holds the flags of commands that accept connections from clients.
type Secrets struct {
	Token       string `group:"Clients" env:"GOSMP_TOKEN" placeholder:"TOKEN" help:"Token that clients have to know; @FILE reads it from a file. Required for an address that other machines can reach."`
	Certificate string `group:"Clients" name:"tls-cert" type:"existingfile" placeholder:"PEM" help:"Certificate of the server, for TLS."`
	Key         string `group:"Clients" name:"tls-key" type:"existingfile" placeholder:"PEM" help:"Its key."`
}

// Rules returns the access rules that the flags specify.
func (a *Access) Rules() (gate.Rules, error) {
	r, err := a.Secrets.Rules()
	r.Origins, r.Driving = a.Origins, a.Driving
	return r, err
}

// Rules returns the access rules that the flags specify.
func (a *Secrets) Rules() (gate.Rules, error) {
	r := gate.Rules{Token: a.Token, Certificate: a.Certificate, Key: a.Key}
	if (a.Certificate == "") != (a.Key == "") {
		return r, Unexpected("--tls-cert, --tls-key", "one of them", "both, or none")
	}
	if file, is := strings.CutPrefix(a.Token, "@"); is {
		text, err := regular.ReadOnce(file)
		if err != nil {
			return r, Invalid("--token", err)
		}
		if r.Token = strings.TrimSpace(string(text)); r.Token == "" {
			return r, Unexpected("--token", "an empty file "+file, "a file with the token")
		}
	}
	return r, nil
}
