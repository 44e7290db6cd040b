package model_test

import (
	"fmt"
	"testing"
)

// printer replaces the *testing.T of a test in examples: it prints messages that would fail a test.
type printer struct{ testing.TB }

func (printer) Helper()                          {}
func (printer) Cleanup(func())                   {}
func (printer) Errorf(format string, a ...any)   { fmt.Printf(format+"\n", a...) }
func (p printer) Fatalf(format string, a ...any) { panic(fmt.Sprintf(format, a...)) }
func (p printer) Fatal(a ...any)                 { panic(fmt.Sprint(a...)) }
