package model

import "gosmp/internal/state"

// StateReader decodes, in [Snapshotter]'s Restore, the data that the functions below appended in
// Snapshot, in the same order. Its field Data holds the bytes not read yet. Its methods are
//
//	Byte() byte       Uint64() uint64     Bytes() []byte     Err() error
//	Bool() bool       Float64() float64   String() string    Done() error
//
// Reading past the end returns zeros. Err reports it afterwards, and Done also reports leftover
// bytes. Restore can therefore read everything and end with
//
//	return d.Done()
//
// Uint32 reads four bytes, little-endian. The result of Bytes shares the memory of Data.
type StateReader = state.Decoder

// AppendUint64 appends a number to a state, in eight bytes. Convert signed numbers before appending
// and after reading.
func AppendUint64(b []byte, x uint64) []byte { return state.AppendUint64(b, x) }

// AppendFloat64 appends a number to a state, in eight bytes that keep every bit of it.
func AppendFloat64(b []byte, x float64) []byte { return state.AppendFloat64(b, x) }

// AppendBool appends a truth value to a state, in one byte.
func AppendBool(b []byte, x bool) []byte { return state.AppendBool(b, x) }

// AppendString appends a text to a state, with its length.
func AppendString(b []byte, text string) []byte { return state.AppendString(b, text) }

// AppendBytes appends bytes to a state, with their length.
func AppendBytes(b, data []byte) []byte { return state.AppendBytes(b, data) }
