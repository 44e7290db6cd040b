package osmprules

import (
	"errors"
	"fmt"
	"mime"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const mark = `version="0.3.0" osi-version="3.8.0"/>`

// structuredName is the grammar of FMI 2.0, 2.2.9, written here a second time. This model has no
// derivatives.
var structuredName = regexp.MustCompile(
	`^[A-Za-z_]\w*(\[[1-9]\d*(,[1-9]\d*)*\])?(\.[A-Za-z_]\w*(\[[1-9]\d*(,[1-9]\d*)*\])?)*$`)

func TestP3_NamesAreStructured(t *testing.T) {
	holds(t, func(d *description) error {
		if d.Naming != "structured" {
			return fmt.Errorf("variableNamingConvention is %q", d.Naming)
		}
		if len(d.Variables) < 15 {
			return fmt.Errorf("%d variables", len(d.Variables))
		}
		for _, v := range d.Variables {
			if !structuredName.MatchString(v.Name) {
				return fmt.Errorf("%q is not a structured name", v.Name)
			}
		}
		return nil
	}, spoil{`"structured"`, `"flat"`}, spoil{`name="valid"`, `name="is valid"`},
		spoil{`name="count"`, `name="count[0]"`})
}

func TestP4_DefaultExperimentHasAStepSize(t *testing.T) {
	holds(t, func(d *description) error {
		if d.Experiment == nil {
			return errors.New("no DefaultExperiment")
		}
		if step, err := strconv.ParseFloat(d.Experiment.Step, 64); err != nil || !(step > 0) {
			return fmt.Errorf("stepSize is %q", d.Experiment.Step)
		}
		return nil
	}, spoil{`stepSize="0.02"`, ``}, spoil{`stepSize="0.02"`, `stepSize="0"`},
		spoil{"DefaultExperiment", "Experiment"})
}

func TestP8_DescriptionNamesTheKindOfModel(t *testing.T) {
	holds(t, func(d *description) error {
		for _, text := range []string{"sensor model", "SensorView in", "SensorData out"} {
			if !strings.Contains(d.Description, text) {
				return fmt.Errorf("description %q does not say %q", d.Description, text)
			}
		}
		return nil
	}, spoil{"SensorView in", "input"})
}

// marked finds the one annotation that marks an FMU as an OSMP FMU.
func marked(d *description) (version, osi string, err error) {
	n := 0
	for _, t := range d.Tools {
		for _, m := range t.Marks {
			if t.Name == "net.pmsf.osmp" {
				n, version, osi = n+1, m.Version, m.OSI
			}
		}
	}
	if n != 1 {
		return "", "", fmt.Errorf("%d annotations osmp:osmp, expected 1", n)
	}
	return version, osi, nil
}

func TestA1_OneMarkWithVersionAndNamespace(t *testing.T) {
	tool := `<osmp:osmp ` + mark
	holds(t, func(d *description) error {
		version, _, err := marked(d)
		// the second by `make fmu OSMP=1.6.0`
		if err == nil && version != "0.3.0" && version != "1.6.0" {
			err = fmt.Errorf("version %q", version)
		}
		return err
	}, spoil{tool, ""}, spoil{tool, tool + tool}, spoil{mark, `version="0.2.0"/>`},
		spoil{`http://xsd.pmsf.net/OSISensorModelPackaging`, `http://xsd.pmsf.net/`},
		spoil{`<Tool name="net.pmsf.osmp"`, `<Tool name="osmp"`})
}

var threeNumbers = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$`)

func TestA2_OSIVersionHasThreeNumbers(t *testing.T) {
	holds(t, func(d *description) error {
		_, osi, err := marked(d)
		if err == nil && !threeNumbers.MatchString(osi) {
			err = fmt.Errorf("osi-version %q", osi)
		}
		return err
	}, spoil{`osi-version="3.8.0"`, ``}, spoil{`osi-version="3.8.0"`, `osi-version="3.8"`},
		spoil{`osi-version="3.8.0"`, `osi-version="v3.8.0"`})
}

func TestA2_OSIVersionIsThatOfEveryMessage(t *testing.T) {
	_, osi, err := marked(parsed(t, rendered(t)))
	if err != nil {
		t.Fatal(err)
	}
	r := playing(t, sixSensors)
	for range 5 {
		r.step()
		m := r.message()
		v := m.Version
		if found := fmt.Sprintf("%d.%d.%d", v.GetVersionMajor(), v.GetVersionMinor(),
			v.GetVersionPatch()); found != osi {
			t.Fatalf("a message of OSI %s, the annotation says %s", found, osi)
		}
	}
}

func TestA3_ThreeAnnotatedIntegersAndNoOthers(t *testing.T) {
	holds(t, func(d *description) error {
		for _, v := range d.Variables {
			_, part := roleOf(v.Name)
			if n := len(v.roles()); part && n != 1 || !part && n != 0 {
				return fmt.Errorf("%s has %d annotations", v.Name, n)
			}
		}
		return d.each("", func(_ string, parts []part) error {
			if len(parts) != 3 {
				return fmt.Errorf("%d variables, expected 3", len(parts))
			}
			for _, p := range parts {
				if _, known := roleOf("." + p.Role); !known || p.role.Name == "" || p.MIME == "" {
					return fmt.Errorf("incomplete annotation %+v", p.role)
				}
			}
			return nil
		})
	}, spoil{`role="size"`, ``}, spoil{`role="size"`, `role="count"`},
		spoil{"osmp:osmp-binary-variable", "osmp:binary"},
		spoil{`name="OSMPSensorDataOut.size"`, `name="OSMPSensorDataOut.bytes"`})
}

// roleOf returns the role that a variable's own name ends with.
func roleOf(name string) (role string, found bool) {
	for _, role := range []string{"base.lo", "base.hi", "size"} {
		if strings.HasSuffix(name, "."+role) {
			return role, true
		}
	}
	return "", false
}

var errNoMIMEType = errors.New("expected type/subtype and parameters")

func TestA4_MIMETypesAreValid(t *testing.T) {
	holds(t, func(d *description) error {
		return d.each("", func(_ string, parts []part) error {
			for _, p := range parts {
				if kind, _, err := mime.ParseMediaType(p.MIME); err != nil || strings.Count(kind,
					"/") != 1 {
					return fmt.Errorf("MIME type %q: %w", p.MIME, errors.Join(err, errNoMIMEType))
				}
			}
			return nil
		})
	}, spoil{"interface; type=SensorData", "interface; type=Sensor Data"},
		spoil{"application/x-open", "application x-open"},
		spoil{"; version=3.8.0", "; version="})
}

func TestA5_OSIMessagesNameTypeAndVersion(t *testing.T) {
	messages := []string{"SensorView", "SensorData", "SensorViewConfiguration"}
	holds(t, func(d *description) error {
		return d.eachMessage(func(_ string, parts []part) error {
			for _, p := range parts {
				kind, parameters, _ := mime.ParseMediaType(p.MIME)
				if kind != "application/x-open-simulation-interface" || !slices.Contains(messages,
					parameters["type"]) ||
					!threeNumbers.MatchString(parameters["version"]) {
					return fmt.Errorf("MIME type %q", p.MIME)
				}
			}
			return nil
		})
	}, spoil{"x-open-simulation-interface", "octet-stream"}, spoil{"type=SensorData;",
		"type=Sensordata;"},
		spoil{"; version=3.8.0", "; version=3.8"})
}

func TestA6_MIMEVersionAgreesWithTheMark(t *testing.T) {
	holds(t, func(d *description) error {
		_, osi, err := marked(d)
		if err != nil {
			return err
		}
		return d.eachMessage(func(_ string, parts []part) error {
			for _, p := range parts {
				if _, parameters, _ := mime.ParseMediaType(p.MIME); parameters["version"] != osi {
					return fmt.Errorf("version of %q, the annotation of the FMU says %s",
						p.MIME, osi)
				}
			}
			return nil
		})
	}, spoil{`osi-version="3.8.0"`, `osi-version="3.7.0"`},
		spoil{"type=SensorData; version=3.8.0", "type=SensorData; version=3.0.0"})
}

func TestA7_MIMETypeIsTheSameInATriple(t *testing.T) {
	one := `name="OSMPSensorViewIn" role="size" ` +
		`mime-type="application/x-open-simulation-interface; type=SensorView;`
	holds(t, func(d *description) error {
		return d.each("", func(_ string, parts []part) error {
			for _, p := range parts {
				if p.MIME != parts[0].MIME {
					return fmt.Errorf("%q and %q", p.MIME, parts[0].MIME)
				}
			}
			return nil
		})
	}, spoil{one, strings.ReplaceAll(one, "type=SensorView", "type=SensorData")})
}

func TestA8_EveryRoleOccursOncePerName(t *testing.T) {
	holds(t, func(d *description) error {
		return d.each("", func(_ string, parts []part) error {
			var roles []string
			for _, p := range parts {
				roles = append(roles, p.Role)
			}
			slices.Sort(roles)
			if !slices.Equal(roles, []string{"base.hi", "base.lo", "size"}) {
				return fmt.Errorf("roles %q", roles)
			}
			return nil
		})
	}, spoil{`name="OSMPSensorDataOut" role="base.hi"`, `name="OSMPSensorDataOut" role="base.lo"`},
		spoil{`<osmp:osmp-binary-variable name="OSMPSensorViewIn" role="size"`,
			`<osmp:none name="OSMPSensorViewIn" role="size"`},
		spoil{`name="OSMPSensorViewInConfig" role`, `name="OSMPSensorViewIn" role`})
}

func TestA9_NameAndRoleMakeTheNameOfTheVariable(t *testing.T) {
	holds(t, func(d *description) error {
		return d.each("", func(_ string, parts []part) error {
			for _, p := range parts {
				if p.variable.Name != p.role.Name+"."+p.Role {
					return fmt.Errorf("%s is annotated as %s of %s", p.variable.Name, p.Role,
						p.role.Name)
				}
			}
			return nil
		})
	}, spoil{`<ScalarVariable name="OSMPSensorDataOut.base.lo"`,
		`<ScalarVariable name="OSMPSensorDataOut.low"`})
}
