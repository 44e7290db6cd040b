// Package connect finds the connections that OSMP requires between models in addition to those for
// sensor messages: a reader of SensorViews requests a configuration and receives the one that its
// producer follows (OSI Sensor Model Packaging, 2.3).
package connect

import (
	"slices"
	"strings"

	"gosmp/cosim"
	"gosmp/osmp"
)

const viewConfiguration = "SensorViewConfiguration"

// ConfigSuffix ends the name of the configuration of one output for SensorViews. It is meant for
// producers with several such outputs; if a producer has only one, its configuration may have any
// name.
const ConfigSuffix = "Config"

// MessageOf returns the name of the OSI message that a variable carries, or "" for other variables.
// It is determined by the variable's name if OSMP defines that name, regardless of the MIME type,
// and otherwise by the MIME type.
func MessageOf(v cosim.Variable) string {
	if k, named := osmp.Named(v.Name); named && v.Kind == cosim.Binary {
		return k.Message
	}
	media, parameters, ok := osmp.ParseMIMEType(v.MIMEType)
	if v.Kind != cosim.Binary || !ok || media != osmp.OSIMediaType {
		return ""
	}
	return parameters["type"]
}

// Part is a model with its variables.
type Part struct {
	Name      string
	Variables []cosim.Variable
}

// Configurations returns the connections for the configurations of connected SensorViews: from the
// reader's request to a producer that accepts one, and from the producer back to the reader. Inputs
// that are already connected are left unchanged.
func Configurations(parts []Part, made []cosim.Connection) (more []cosim.Connection) {
	link := func(from *Part, output string, to *Part, input string) {
		c := cosim.Connection{From: from.Name + "." + output, To: to.Name + "." + input}
		same := func(other cosim.Connection) bool { return other.To == c.To }
		if !slices.ContainsFunc(made, same) && !slices.ContainsFunc(more, same) {
			more = append(more, c)
		}
	}
	for _, c := range made {
		producer, view := find(parts, c.From)
		reader, input := find(parts, c.To)
		index, is := strings.CutPrefix(input, osmp.SensorViewIn.Prefix)
		if producer == nil || reader == nil || !is {
			continue
		}
		request, config := osmp.SensorViewInConfigRequest.Prefix+index,
			osmp.SensorViewInConfig.Prefix+index
		if !reader.has(request) || !reader.has(config) {
			continue
		}
		if taker := producer.configuration(cosim.Parameter, cosim.Input); taker != "" {
			link(reader, request, producer, taker)
		}
		offer := view + ConfigSuffix
		if !producer.configures(offer, cosim.Calculated) {
			offer = producer.configuration(cosim.Calculated, cosim.Output)
		}
		if offer != "" {
			link(producer, offer, reader, config)
		}
	}
	return more
}

// find splits the name of a part's variable.
func find(parts []Part, name string) (p *Part, variable string) {
	if k, variable := locate(parts, name); k >= 0 {
		return &parts[k], variable
	}
	return nil, ""
}

func (p *Part) has(name string) bool {
	return slices.ContainsFunc(p.Variables, func(v cosim.Variable) bool { return v.Name == name })
}

// Carriers returns the names of the part's variables with a role that carry an OSI message.
func (p *Part) Carriers(role cosim.Role, message string) (names []string) {
	for _, v := range p.Variables {
		if v.Role == role && MessageOf(v) == message {
			names = append(names, v.Name)
		}
	}
	return names
}

// configures reports whether a variable carries a configuration and has one of the roles.
func (p *Part) configures(name string, roles ...cosim.Role) bool {
	return slices.ContainsFunc(p.Variables, func(v cosim.Variable) bool {
		return v.Name == name && isConfiguration(v, roles)
	})
}

func isConfiguration(v cosim.Variable, roles []cosim.Role) bool {
	return slices.Contains(roles, v.Role) && MessageOf(v) == viewConfiguration
}

// configuration returns the name of the variable that carries a configuration and has one of the
// roles, if it is the only one. Configurations of the part's own inputs for SensorViews do not
// count.
func (p *Part) configuration(roles ...cosim.Role) (name string) {
	for _, v := range p.Variables {
		if isConfiguration(v, roles) && !strings.HasPrefix(v.Name, osmp.SensorViewIn.Prefix) {
			if name != "" {
				return ""
			}
			name = v.Name
		}
	}
	return name
}
