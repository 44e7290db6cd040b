package opendrive_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/finding"
	"gosmp/mocksim/opendrive"
)

const validHeader = `<header revMajor="1" revMinor="8"><geoReference>+proj=utm +zone=32</geoReference></header>`

// document returns a map with a header and the given roads and junctions.
func document(parts ...string) string {
	return `<?xml version="1.0"?>` + "\n<OpenDRIVE>\n" + validHeader + "\n" + strings.Join(parts,
		"\n") + "\n</OpenDRIVE>\n"
}

// oneRoad is a road of 100 m along x with one lane on each side; its parts can be replaced.
type oneRoad struct {
	id, attributes, link, plan, elevation, lateral, offset, sections, rest string
	length                                                                 float64
}

const (
	straight   = `<geometry s="0" x="0" y="0" hdg="0" length="100"><line/></geometry>`
	twoLanes   = `<laneSection s="0">` + left + center + right + `</laneSection>`
	left       = `<left><lane id="1" type="driving"><width sOffset="0" a="3.5"/></lane></left>`
	center     = `<center><lane id="0" type="none"/></center>`
	right      = `<right><lane id="-1" type="driving"><width sOffset="0" a="3.5"/></lane></right>`
	noJunction = `junction="-1"`
)

func (r oneRoad) String() string {
	value := func(text, missing string) string {
		if text == "" {
			return missing
		}
		return text
	}
	if r.length == 0 {
		r.length = 100
	}
	return fmt.Sprintf(`<road id="%s" length="%g" %s>
<link>%s</link><planView>%s</planView>
<elevationProfile>%s</elevationProfile><lateralProfile>%s</lateralProfile>
<lanes>%s%s</lanes>%s</road>`, value(r.id, "1"), r.length, value(r.attributes, noJunction), r.link,
		value(r.plan, straight),
		r.elevation, r.lateral, r.offset, value(r.sections, twoLanes), r.rest)
}

func read(t testing.TB, text string) *opendrive.Map {
	t.Helper()
	m, err := opendrive.Read("test.xodr", strings.NewReader(text))
	require.NoError(t, err)
	return m
}

func station(t testing.TB, m *opendrive.Map, s float64) opendrive.Station {
	t.Helper()
	st, err := m.Roads[0].Station(s)
	require.NoError(t, err)
	return st
}

// rulesOf returns the ids of the findings, except dead ends, which every single road has.
func rulesOf(list finding.List) (rules []string) {
	for _, f := range list {
		if f.ID != "X-DEAD-END" && f.ID != "X-REDUNDANT" && !strings.HasPrefix(f.ID, "X-SCHEMA-") {
			rules = append(rules, f.ID)
		}
	}
	return rules
}
