package fmi

import (
	"encoding/json"
	"math"
)

// Unit is a unit as powers of SI base units and rad (FMI 2.0, 2.2.2; FMI 3.0, 2.4.3): value in SI =
// Factor·value + Offset. A Factor of 0 means 1, so that literals can omit it.
type Unit struct {
	Name                         string
	KG, M, S, A, K, Mol, Cd, Rad int
	Factor, Offset               float64
	DisplayUnits                 []DisplayUnit
}

// DisplayUnit is a unit for showing values: shown = Factor·value + Offset.
type DisplayUnit struct {
	Name   string  `json:"name"`
	Factor float64 `json:"factor"`
	Offset float64 `json:"offset"`
}

// Power is a base unit with its exponent.
type Power struct {
	Name     string `json:"name"`
	Exponent int    `json:"exponent"`
}

// BaseUnits returns the names of the base units in the order of the standard, which Exponents also
// uses.
func BaseUnits() [8]string { return [8]string{"kg", "m", "s", "A", "K", "mol", "cd", "rad"} }

// Exponents returns the powers in the order of BaseUnits. Two units can be converted into each
// other if their powers are equal.
func (u Unit) Exponents() [8]int { return [8]int{u.KG, u.M, u.S, u.A, u.K, u.Mol, u.Cd, u.Rad} }

// SetExponents sets the powers in the order of BaseUnits.
func (u *Unit) SetExponents(e [8]int) {
	u.KG, u.M, u.S, u.A, u.K, u.Mol, u.Cd, u.Rad = e[0], e[1], e[2], e[3], e[4], e[5], e[6], e[7]
}

// Powers lists the base units whose exponents are not 0.
func (u Unit) Powers() []Power {
	list := []Power{}
	for k, exponent := range u.Exponents() {
		if exponent != 0 {
			list = append(list, Power{BaseUnits()[k], exponent})
		}
	}
	return list
}

// Scale returns the effective factor: 1 if Factor is 0.
func (u Unit) Scale() float64 {
	if u.Factor == 0 {
		return 1
	}
	return u.Factor
}

// Defined reports whether more than the name of the unit is known. A unit of an FMU may have only a
// name, which does not make the unit dimensionless.
func (u Unit) Defined() bool { return u.Factor != 0 || u.Offset != 0 || u.Exponents() != [8]int{} }

// Conversion returns the factor and the offset for converting a value in u to another unit:
// value·factor + offset. It returns false for units of different dimensions.
func (u Unit) Conversion(to Unit) (factor, offset float64, ok bool) {
	if u.Exponents() != to.Exponents() {
		return 0, 0, false
	}
	factor, offset = u.Scale()/to.Scale(), (u.Offset-to.Offset)/to.Scale()
	return factor, offset, !math.IsInf(factor, 0) && !math.IsNaN(factor+offset)
}

// MarshalJSON writes name, base (the powers that are not 0), factor, offset and displayUnits.
func (u Unit) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Name         string        `json:"name"`
		Base         []Power       `json:"base"`
		Factor       float64       `json:"factor"`
		Offset       float64       `json:"offset"`
		DisplayUnits []DisplayUnit `json:"displayUnits"`
	}{u.Name, u.Powers(), u.Scale(), u.Offset, append([]DisplayUnit{}, u.DisplayUnits...)})
}
