package modeldescription

import (
	"strings"

	"gosmp/fmi"
	"gosmp/fmu"
)

// type3 is the element of a variable in FMI 3.0.
func type3(v *fmu.Variable) string {
	t, _ := v.Type.In(fmi.FMI3)
	return t.String()
}

// start3 writes the start attribute, which the values of String and Binary do not have: theirs are
// elements. An array lists its values.
func start3(v *fmu.Variable) (string, error) {
	if v.Start == nil || elements(v) {
		return "", nil
	}
	text, err := escape(strings.TrimRight(strings.Repeat(StartText(v)+" ", v.Elements()), " "))
	return ` start="` + text + `"`, err
}

// starts3 lists the values of String and Binary.
func starts3(v *fmu.Variable) (list []string) {
	if v.Start == nil || !elements(v) {
		return nil
	}
	for range v.Elements() {
		list = append(list, StartText(v))
	}
	return list
}

// elements reports whether start values are elements.
func elements(v *fmu.Variable) bool { return v.Type == fmi.String || v.Type == fmi.Binary }

// content3 reports whether the element of a variable has others inside.
func content3(v *fmu.Variable) bool {
	return len(v.Annotations)+len(v.Dimensions)+len(starts3(v)) > 0
}
