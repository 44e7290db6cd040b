// Package platforms tests the FMU of `make fmu-all` on every platform for which it has binaries:
// natively, in qemu, or in wine. GOSMP_FMU_ALL names the FMU, and GOSMP_ZIG the compiler for the
// hosts; `scripts/platforms.sh test` sets both. A platform that cannot be run on this machine is
// skipped, with a line that begins with NOT RUN and names the programs to install.
package platforms
