// Package platforms tests the FMU of `make fmu-all` on every platform that it has binaries for:
// natively, in qemu, in wine. The FMU is the one that GOSMP_FMU_ALL names, the compiler for the
// hosts the one of GOSMP_ZIG; `scripts/platforms.sh test` sets both. A platform that cannot be run
// on this machine is skipped with a line that begins with NOT RUN and names what to install.
package platforms
