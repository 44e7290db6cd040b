package ssp_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/ssp"
)

const common = `xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon"`

// transformed returns the package with a transformation in a connection from a to b.
func transformed(s entries, name, transformation string) entries {
	return s.with(main, connection("a."+name, "b."+name, ""), connection("a."+name, "b."+name,
		transformation))
}

func gears(pairs ...[2]string) string {
	list := ""
	for _, p := range pairs {
		list += `<ssc:MapEntry source="` + p[0] + `" target="` + p[1] + `"/>`
	}
	return `<ssc:EnumerationMappingTransformation>` + list +
		`</ssc:EnumerationMappingTransformation>`
}

func truths(pairs ...[2]string) string {
	list := ""
	for _, p := range pairs {
		list += `<ssc:MapEntry source="` + p[0] + `" target="` + p[1] + `"/>`
	}
	return `<ssc:BooleanMappingTransformation>` + list + `</ssc:BooleanMappingTransformation>`
}

// constants returns packages with a transformation through which no value passes.
func constants(s entries) []entries {
	return []entries{
		transformed(s, "p", `<ssc:LinearTransformation factor="0" offset="2"/>`),
		transformed(s, "p", `<ssc:LinearTransformation factor="-0.0"/>`),
		transformed(s, "p", `<ssc:LinearTransformation factor="1e-999"/>`),
		s.with("resources/b.ssm", `target="k"/>`, `target="k"><ssc:LinearTransformation `+common+
			` factor="0"/></ssm:MappingEntry>`),
		transformed(s, "on", truths([2]string{"true", "true"}, [2]string{"false", "1"})),
		transformed(s, "on", truths([2]string{"true", "false"})),
		transformed(s, "gear", gears([2]string{"R", "N"}, [2]string{"D", "N"})),
	}
}

// TestCheck_TransformationsThatDistinguishValues: these have no finding (SSP-S12).
func TestCheck_TransformationsThatDistinguishValues(t *testing.T) {
	s := sound(t)
	for _, e := range []entries{
		transformed(s, "p", `<ssc:LinearTransformation factor="1e-300"/>`),
		transformed(s, "p", `<ssc:LinearTransformation offset="1"/>`),
		transformed(s, "on", truths([2]string{"true", "false"}, [2]string{"false", "true"})),
		transformed(s, "gear", gears([2]string{"R", "N"})),
		transformed(s, "n", `<ssc:IntegerMappingTransformation>`+
			`<ssc:MapEntry source="1" target="0"/></ssc:IntegerMappingTransformation>`),
	} {
		found, list := e.check(t, ssp.Options{})
		require.Empty(t, found, "%v", list)
	}
}

// TestCheck_ConstantMapNamesTheItem: the message has the name of the item, as in the file.
func TestCheck_ConstantMapNamesTheItem(t *testing.T) {
	_, list := transformed(sound(t), "gear", gears([2]string{"R", "N"}, [2]string{"D", "N"})).
		check(t, ssp.Options{})
	require.Len(t, list, 1)
	require.Contains(t, list[0].Message, "turns every value into N")
}

// TestCheck_MapsWithoutMeaning: a map without entries, and two entries for one value, are errors.
func TestCheck_MapsWithoutMeaning(t *testing.T) {
	s := sound(t)
	for _, e := range []entries{
		transformed(s, "on", truths()), transformed(s, "gear", gears()),
		transformed(s, "on", truths([2]string{"true", "false"}, [2]string{"1", "true"},
			[2]string{"false", "true"})),
		transformed(s, "gear", gears([2]string{"R", "N"}, [2]string{"R", "N"})),
	} {
		found, list := e.check(t, ssp.Options{})
		require.Equal(t, []string{"SSP-X3"}, found, "%v", list)
		requireOneJudgement(t, e, list)
	}
}

// TestCheck_RangeAfterAConnection: a value of a parameter of the system is compared with the range
// of the variable that it reaches (SSP-P3).
func TestCheck_RangeAfterAConnection(t *testing.T) {
	s := sound(t).plus("c", fmu(t, `k Real parameter fixed start="1" max="3"`),
		ports("k parameter Real"))
	for value, want := range map[float64][]string{3: {}, 3 + 1e-14: {}, 3 + 1e-12: {"SSP-P3"},
		4: {"SSP-P3"}} {
		e := s.top(ports("t parameter Real") + bindings(binding("t", value))).
			also(connection("t", "c.k", ""))
		found, list := e.check(t, ssp.Options{})
		require.Equal(t, want, found, "%v", list)
	}
}
