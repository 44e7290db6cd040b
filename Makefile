# gosmp: `make run` and `make test` are all a user needs; `make help` lists the rest.

FMU      := dist/OSMPDummySensor.fmu
FMU_ALL  := dist/all/OSMPDummySensor.fmu
VENV     := .venv
PYTHON   ?= python3
TOOLS    := $(CURDIR)/.tools
LINT     := 2.15.0
GOLANGCI := $(TOOLS)/golangci-lint-v$(LINT)

# The scenario that the FMU plays by default, and for how long `make run` plays it.
SCENARIO ?=
UNIT     ?=
STOP     ?=
OSMP     ?= 0.3.0

# The platforms of make fmu-all. The 32-bit platforms are optional: linux32 win32.
PLATFORMS ?= linux64 aarch64-linux win64

# Compiling from nothing takes a third less processor time if the tools of Go collect no garbage below 1 GB, which the
# largest package takes anyway.
ifeq ($(findstring -toolexec,$(GOFLAGS)),)
export GOFLAGS := '-toolexec=/usr/bin/env GOGC=off GOMEMLIMIT=1GiB' $(shell go env GOFLAGS 2>/dev/null)
endif

.DEFAULT_GOAL := help

help: ## show this list
	@echo "gosmp: an OSMP sensor model FMU in Go"
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  Options: SCENARIO=file.csv UNIT=auto|ms|us|s|ns  the scenario to play, and its unit of time"
	@echo "           STOP=41                             where make run stops, in seconds; else at the scenario's end, at most 600"
	@echo "           PACK=1                              make run packs a SCENARIO of more than 20 MB too, instead of naming it"
	@echo "           OSMP=0.3.0|1.6.0                    the release of OSMP that the FMU of FMI 2.0 declares"
	@echo "           PLATFORMS=\"linux64 win64 ...\"      what make fmu-all builds for: also aarch64-linux linux32 win32"

# make run hands a large SCENARIO to the FMU by its path instead of packing it, unless PACK=1 is set.
LARGE = $(if $(filter 1,$(PACK)),,$(if $(SCENARIO),$(shell find "$(SCENARIO)" -size +20M)))
PLAY  = -m gosmp_demo --fmu $(FMU) $(if $(SCENARIO),--scenario "$(SCENARIO)") $(if $(STOP),--stop "$(STOP)") $(if $(UNIT),--unit "$(UNIT)")

run: NEEDS = run
run: prerequisites ## build the FMU, simulate its scenario in fmpy, print a table, write CSV and plots to dist/run
	@PYTHONPATH=python $(PYTHON) $(PLAY) --check
	@$(MAKE) --no-print-directory venv
	@$(if $(LARGE),echo "$(SCENARIO) has more than 20 MB: it is played from where it is; PACK=1 packs it into the FMU",:)
	@$(MAKE) --no-print-directory fmu $(if $(LARGE),SCENARIO= UNIT=)
	@PYTHONPATH=python $(VENV)/bin/python $(PLAY)

# A packer is a Go program without C that finds the C compiler itself: these rules need only Go, a C compiler and a shell.
PACKER     = CGO_ENABLED=0 go run
FMU_FLAGS  = $(if $(SCENARIO),-scenario "$(SCENARIO)") -osmp $(OSMP) $(if $(UNIT),-start replay.timeUnit=$(UNIT))

fmu: go ## build dist/OSMPDummySensor.fmu and its twin for FMI 3.0, OSMPDummySensor-fmi3.fmu; needs only Go and a C compiler
	@echo "building the packer (half a minute the first time)"
	@$(PACKER) ./cmd/osmpdummysensor pack -fmi 2,3 -o $(FMU) $(FMU_FLAGS)

examples: fmu ## pack the example models and systems: dist/OSMPSource.fmu, dist/drive.ssp and so on
	@for model in source fog fusion aeb driver dynamics imu player traffic; do \
		echo "building the packer of $$model" && $(PACKER) ./examples/$$model pack -fmi 2,3 || exit; \
	done
	@echo "building the packer of link, which is for FMI 3.0 alone" && $(PACKER) ./examples/link pack
	@go run ./cmd/gosmp convert examples/systems/drive/SystemStructure.ssd -o dist/drive.ssp
	@go run ./cmd/gosmp convert examples/systems/drive/ClearSky.ssd -o dist/drive-clear.ssp
	@go run ./cmd/gosmp convert examples/systems/assistance/SystemStructure.ssd -o dist/assistance.ssp
	@go run ./cmd/gosmp convert examples/systems/seasons/Perception.ssd -o dist/perception.ssp
	@go run ./cmd/gosmp convert examples/systems/seasons/SystemStructure.ssd -o dist/seasons.ssp
	@go run ./cmd/gosmp convert examples/systems/link/SystemStructure.ssd -o dist/link.ssp
	@go run ./cmd/gosmp convert examples/systems/handshake/SystemStructure.ssd -o dist/handshake.ssp

# The experiment of examples/braking must pass with the brake, and fail with exit code 1 without it.
DEMO = dist/demo

demo: fmu-default ## run an experiment: emergency braking with the brake, which passes, and without it, which fails
	@echo "building the packer of aeb" && $(PACKER) ./examples/aeb pack -o dist/OSMPEmergencyBrake.fmu
	@echo "building gosmp" && go build -o dist/gosmp ./cmd/gosmp
	@mkdir -p $(DEMO) && cp examples/braking/* dist/OSMPDummySensor.fmu dist/OSMPEmergencyBrake.fmu $(DEMO)
	@echo; echo "$$ gosmp run braking.exc"
	@cd $(DEMO) && ../gosmp run braking.exc --report braking.html >braking.log; code=$$?; tail -n 4 braking.log; \
		echo "exit code $$code, report $(DEMO)/braking.html"; test $$code -eq 0
	@echo; echo "$$ gosmp run unbraked.exc"
	@cd $(DEMO) && ../gosmp run unbraked.exc --report unbraked.html >unbraked.log; code=$$?; tail -n 4 unbraked.log; \
		echo "exit code $$code, report $(DEMO)/unbraked.html"; test $$code -eq 1

fmu-all: go ## build both FMUs in dist/all for Linux and Windows with a compiler that is installed in .venv-zig
	@echo "building the packer (half a minute the first time)"
	@$(PACKER) ./cmd/osmpdummysensor pack -check -fmi 2,3 -o $(FMU_ALL) -platforms "$(PLATFORMS)" $(FMU_FLAGS)
	@zig=$$(PYTHON=$(PYTHON) scripts/platforms.sh zig) && $(PACKER) ./cmd/osmpdummysensor pack -fmi 2,3 -o $(FMU_ALL) \
		-platforms "$(PLATFORMS)" -zig "$$zig" $(FMU_FLAGS)

dist: go ## what users install without a compiler, in dist/release: wheels, archives, Debian packages, FMUs (minutes)
	@PYTHON=$(PYTHON) scripts/dist.sh build

dist-test: ## judge dist/release by tools of others, and use it on a system that has nothing but Python
	@PYTHON=$(PYTHON) scripts/dist.sh test

dist-repeat: go ## build dist/release once more in another folder with empty caches, and compare (half an hour)
	@PYTHON=$(PYTHON) scripts/dist.sh repeat

site: go ## the documentation as a site in dist/site, with its notebooks run (minutes the first time)
	@PYTHON=$(PYTHON) scripts/docs_site.sh

# Go keeps compiled packages below the home folder. Without a home folder it gets a folder here.
ifeq ($(HOME)$(XDG_CACHE_HOME)$(GOCACHE),)
export GOCACHE := $(CURDIR)/.cache/go-build
go: homeless
endif
ifeq ($(HOME)$(GOPATH)$(GOMODCACHE),)
export GOMODCACHE := $(CURDIR)/.cache/go-mod
endif

homeless:
	@echo "HOME is not set, so Go keeps its files in $(CURDIR)/.cache; set GOCACHE and GOMODCACHE to keep them elsewhere"

go:
	@command -v go >/dev/null || { echo "Go is missing: install it from https://go.dev/dl/ and put its bin folder into PATH" >&2; exit 1; }

importers: NEEDS = test
importers: prerequisites fmu-default venv-test ## the packed FMU in importers that are not ours: installs and runs those that this machine supports
	@scripts/importers.sh

test-platforms: ## build for all platforms and test them in emulators; platforms that cannot be run here are listed at the end
	@$(MAKE) --no-print-directory fmu-all SCENARIO= UNIT= OSMP=0.3.0 PLATFORMS="$$(scripts/platforms.sh buildable)"
	@PYTHON=$(PYTHON) scripts/platforms.sh test

test: NEEDS = test
test: prerequisites fmu-default venv-test ## the tests of each change: Go, race detector, C driver, fmpy black box
	@scripts/test.sh

nightly: NEEDS = test
nightly: prerequisites fmu-default venv-test ## the rest: long tests, sanitizers, fuzzing, other importers, all platforms; an hour or more
	@scripts/nightly.sh

check: lint check-files ## lint, import arrows, committed generated code, no built programs in git

check-files: generated tracked ## what make check does besides the linter

# An installed golangci-lint of this version is used; otherwise one is built, once.
lint: export GOGC = 400
lint: export GOMEMLIMIT = 3GiB
lint: ## golangci-lint with the rules of .golangci.yml
	@if golangci-lint version 2>/dev/null | grep -q 'version v\?$(LINT) '; then golangci-lint run ./...; \
		else $(MAKE) --no-print-directory $(GOLANGCI) && $(GOLANGCI) run ./...; fi

generated: ## fail when committed generated code differs from the output of its generator
	@scripts/generated.sh

tracked: ## fail when git tracks a built program or library
	@scripts/tracked.sh

generate: ## regenerate the OSI messages, mocks, and the reference in docs/
	go generate ./...

bench: fmu ## what users feel: time and allocations per step, reading speed, messages, clock
	@scripts/bench.sh

fuzz: prerequisites ## run every fuzz target for FUZZTIME (10s)
	@scripts/fuzz.sh $(FUZZTIME)

clean: ## remove everything that was built or installed
	rm -rf dist $(VENV) .venv-zig .venv-release .venv-site $(TOOLS) .cache

# Everything that is missing is listed at once, before anything is built.
NEEDS = fmu
prerequisites:
	@scripts/prerequisites.sh $(NEEDS)

venv:
	@PYTHON=$(PYTHON) scripts/setup.sh

venv-test:
	@PYTHON=$(PYTHON) scripts/setup.sh test

# The tests need the FMU with the bundled demo, whatever SCENARIO was packed before.
fmu-default:
	@$(MAKE) --no-print-directory fmu SCENARIO= UNIT=

$(TOOLS)/golangci-lint-v$(LINT):
	@echo "building golangci-lint v$(LINT) (about two minutes, once)"
	@GOBIN=$(TOOLS) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v$(LINT)
	@mv $(TOOLS)/golangci-lint $@

.PHONY: help run fmu demo examples fmu-all dist dist-test dist-repeat site importers test-platforms test nightly check check-files lint generated tracked generate bench fuzz clean prerequisites venv venv-test fmu-default go homeless

# Prerequisites are made from left to right, even with make -j; go and cargo use all processors by themselves.
.NOTPARALLEL:
