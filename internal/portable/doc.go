// Package portable provides the functions of package math whose last bits depend on the processor,
// with the same bits on every platform, so that the same input produces the same bytes everywhere.
//
// Two things change the bits of package math. On some processors the compiler rounds x*y + z once
// instead of twice (The Go Programming Language Specification, Floating-point operators); here, and
// wherever else results must not depend on the platform, a conversion rounds the product:
// float64(x*y) + z. And some processors have functions written in assembly. The functions of this
// package, apart from Exp, return the same bits as package math on amd64.
//
// Angles are in radians. Angles beyond 2^29 are left to package math.
package portable
