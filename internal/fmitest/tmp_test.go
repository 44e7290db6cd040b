package fmitest_test

import (
	"testing"

	"gosmp/internal/fmitest"
)

func TestTmp(t *testing.T) {
	p := reach(t, "C")
	t.Log(p.c.ForeignStates(1, 2000))
}
func TestTmp2(t *testing.T) {
	t.Log(fmitest.ForeignFirst(1, 200))
}
