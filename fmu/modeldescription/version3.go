package modeldescription

import (
	"fmt"
	"strings"

	"gosmp/fmi"
	"gosmp/fmu"
)

// type3 returns the name of the element of a variable in FMI 3.0.
func type3(v *fmu.Variable) string {
	t, _ := v.Type.In(fmi.FMI3)
	return t.String()
}

// start3 writes the start attribute. String and Binary variables have elements instead of this
// attribute. The attribute of an array lists all values.
func start3(v *fmu.Variable) (string, error) {
	if v.Start == nil || elements(v) {
		return "", nil
	}
	text, err := escape(strings.TrimRight(strings.Repeat(StartText(v)+" ", v.Starts()), " "))
	return ` start="` + text + `"`, err
}

// starts3 lists the start values of a String or Binary variable.
func starts3(v *fmu.Variable) (list []string) {
	if v.Start == nil || !elements(v) {
		return nil
	}
	for range v.Starts() {
		list = append(list, StartText(v))
	}
	return list
}

// elements reports whether the start values of a variable are elements.
func elements(v *fmu.Variable) bool { return v.Type == fmi.String || v.Type == fmi.Binary }

// content3 reports whether the element of a variable contains other elements.
func content3(v *fmu.Variable) bool {
	return len(v.Annotations)+len(v.Dimensions)+len(starts3(v)) > 0
}

// declaredType returns the name of a variable's enumeration; empty if it has none.
func declaredType(v *fmu.Variable) string {
	if v.Enumeration == nil {
		return ""
	}
	return v.Enumeration.Name
}

// dimensions returns the attributes of the dimensions: each has a length, or the structural
// parameter that holds it.
func dimensions(t *fmu.Variables, v *fmu.Variable) (list []string) {
	if v.SizedBy != "" {
		return []string{fmt.Sprintf(`valueReference="%d"`, t.Named(v.SizedBy).Reference(fmi.FMI3))}
	}
	for _, n := range v.Dimensions {
		list = append(list, fmt.Sprintf(`start="%d"`, n))
	}
	return list
}

// clocks returns the value references of the clocks of a clocked variable.
func clocks(t *fmu.Variables, v *fmu.Variable) string {
	var list []string
	for _, name := range v.Clocks {
		list = append(list, fmt.Sprint(t.Named(name).Reference(fmi.FMI3)))
	}
	return strings.Join(list, " ")
}

// interval returns the intervalVariability of a clock: the FMU triggers all of its clocks itself.
func interval(v *fmu.Variable) string {
	if v.Type != fmi.Clock {
		return ""
	}
	return "triggered"
}

// truth returns the text of a Boolean attribute; empty for false, the default.
func truth(is bool) string {
	if is {
		return "true"
	}
	return ""
}
