package archive

import (
	"encoding/json"
	"fmt"
	"strings"

	"gosmp/fmi"
	"gosmp/internal/xmldoc"
)

// ModelDescription is the content of a modelDescription.xml. Texts missing from the file are empty,
// and missing numbers are nil.
type ModelDescription struct {
	// as written: 1.0, 2.0, 3.0, 3.0.2 ...
	FMIVersion string `json:"fmiVersion"`
	ModelName  string `json:"modelName"`
	// the guid before FMI 3.0
	InstantiationToken    string `json:"instantiationToken"`
	Description           string `json:"description"`
	Version               string `json:"version"`
	Author                string `json:"author"`
	Copyright             string `json:"copyright"`
	License               string `json:"license"`
	GenerationTool        string `json:"generationTool"`
	GenerationDateAndTime string `json:"generationDateAndTime"`
	// flat or structured
	VariableNamingConvention string            `json:"variableNamingConvention"`
	ContinuousStates         int               `json:"continuousStates"`
	EventIndicators          int               `json:"eventIndicators"`
	Interfaces               []Interface       `json:"interfaces"`
	DefaultExperiment        DefaultExperiment `json:"defaultExperiment"`
	Units                    []fmi.Unit        `json:"units"`
	Types                    []Type            `json:"types"`
	LogCategories            []fmi.LogCategory `json:"logCategories"`
	Variables                []Variable        `json:"variables"`
	InitialUnknowns          []Unknown         `json:"-"`
	Annotations              []fmi.Annotation  `json:"annotations"` // of the whole FMU
}

// Major returns the major version of FMI.
func (m *ModelDescription) Major() fmi.Version { return fmi.Version(m.FMIVersion[0] - '0') }

// ModelIdentifiers returns the names of the shared libraries without duplicates, in the order of
// the interfaces.
func (m *ModelDescription) ModelIdentifiers() []string {
	list := []string{}
	seen := map[string]bool{}
	for _, i := range m.Interfaces {
		if i.ModelIdentifier != "" && !seen[i.ModelIdentifier] {
			seen[i.ModelIdentifier] = true
			list = append(list, i.ModelIdentifier)
		}
	}
	return list
}

// Interface returns the interface of the given kind, or nil.
func (m *ModelDescription) Interface(kind fmi.InterfaceType) *Interface {
	for k := range m.Interfaces {
		if m.Interfaces[k].Kind == kind {
			return &m.Interfaces[k]
		}
	}
	return nil
}

// DefaultExperiment holds the proposed settings for a run of the model, in seconds.
type DefaultExperiment struct {
	StartTime *float64 `json:"startTime"`
	StopTime  *float64 `json:"stopTime"`
	Tolerance *float64 `json:"tolerance"`
	StepSize  *float64 `json:"stepSize"`
}

// Interface is one way to run the model, with its capabilities.
type Interface struct {
	Kind            fmi.InterfaceType `json:"kind"`
	ModelIdentifier string            `json:"modelIdentifier"`
	Capabilities    Capabilities      `json:"capabilities"`
	// as FMI 2.0 lists them, relative to sources/
	SourceFiles []string `json:"sourceFiles"`
}

// Capabilities are the flags of an interface in the order of the standard. They include all flags
// that its version defines, even if the file omits them.
type Capabilities []Capability

// Capability is a flag of an interface.
type Capability struct {
	Name string
	// bool, int64 or float64; string if the value has none of these types; nil without a value and
	// a default
	Value  any
	Stated bool // false if Value is the default from the standard
}

// Has reports whether the flag with the given name is true.
func (c Capabilities) Has(name string) bool {
	for _, capability := range c {
		if capability.Name == name {
			return capability.Value == true
		}
	}
	return false
}

// IsPositive reports whether the flag with the given name is a number above 0.
func (c Capabilities) IsPositive(name string) bool {
	for _, capability := range c {
		if capability.Name == name {
			n, is := capability.Value.(int64)
			return is && n > 0
		}
	}
	return false
}

// MarshalJSON writes an object with one member per flag, in the order of the flags.
func (c Capabilities) MarshalJSON() ([]byte, error) {
	members := make([]string, 0, len(c))
	for _, capability := range c {
		name, err := json.Marshal(capability.Name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(capability.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", capability.Name, err)
		}
		members = append(members, string(name)+":"+string(value))
	}
	return []byte("{" + strings.Join(members, ",") + "}"), nil
}

// Type is a type definition from which variables inherit attributes.
type Type struct {
	Name        string            `json:"name"`
	Base        fmi.Type          `json:"type"`
	Description string            `json:"description"`
	Items       []EnumerationItem `json:"items"`
	attributes  *xmldoc.Node
}

// EnumerationItem is a value of an enumeration.
type EnumerationItem struct {
	Name        string `json:"name"`
	Value       string `json:"value"`
	Description string `json:"description"`
}
