# sensord: what can be done here. `make` alone lists it.
#
# PREFIX and DESTDIR are respected by install and uninstall; SWIFT is the Swift driver.

SWIFT ?= swift
PREFIX ?= /usr
DESTDIR ?=
# What takes the debug information off installed programs; a Debian package keeps it in one of its own.
STRIP ?= strip --strip-debug

release = .build/release
# Where every package is built (Scripts/build).
build = SWIFT='$(SWIFT)' Scripts/build
binaries = $(release)/sensord $(release)/sensord-simulator
# What reads and writes the formats of others; sensord starts it.
helper = $(release)/sensord-interchange
sources = Package.swift $(shell find Sources -type f)
formatted = Package.swift Sources Tests Benchmarks Fuzz/Driver $(examples) Live/Package.swift Live/Sources Live/Tests \
  Forward/Package.swift Forward/Sources Forward/Tests
examples = Examples/Exhaustive.swift Examples/Diary/Package.swift Examples/Diary/Sources Examples/HotDog/Package.swift Examples/HotDog/Sources

bindir = $(DESTDIR)$(PREFIX)/bin
unitdir = $(DESTDIR)$(PREFIX)/lib/systemd/system
sysusersdir = $(DESTDIR)$(PREFIX)/lib/sysusers.d
policydir = $(DESTDIR)$(PREFIX)/share/dbus-1/system.d
activationdir = $(DESTDIR)$(PREFIX)/share/dbus-1/system-services
interfacedir = $(DESTDIR)$(PREFIX)/share/dbus-1/interfaces
userunitdir = $(DESTDIR)$(PREFIX)/lib/systemd/user
sharedir = $(DESTDIR)$(PREFIX)/share
docdir = $(DESTDIR)$(PREFIX)/share/doc/sensord
# As in its Debian package: the program and its manual name the example's place.
forwarddocdir = $(DESTDIR)$(PREFIX)/share/doc/sensord-health-forward

.PHONY: help
help: ## list what can be done
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: build ## record through bluetoothd; without an adapter, a demonstration
	@Scripts/run $(release)

.PHONY: build
build: dependencies ## the release binaries, in .build/release
	$(build) . release

.PHONY: test
test: dependencies ## all tests, with warnings as errors
	$(build) . --build-tests
	$(build) Examples/HotDog
	@Scripts/test

.PHONY: promises
promises: ## compare help, tables, JSON, exports and errors with what is promised (Scripts/promises)
	@Scripts/promises .build/debug

.PHONY: check
check: lint imports test verify-unit ## everything that has to be right before a commit is shared

.PHONY: check-all
check-all: ## what takes longer than .ci/run has, every part that has not passed at this commit (Scripts/check-all)
	@Scripts/check-all missing

.PHONY: lint
lint: ## the source format
	$(SWIFT) format lint --strict --parallel --recursive $(formatted)

.PHONY: format
format: ## bring the sources into that format
	$(SWIFT) format --in-place --parallel --recursive $(formatted)

.PHONY: imports
imports: ## which module may import which, what packages share; that the libraries are documented, decisions short, links right
	@Scripts/check-imports --self-test
	@Scripts/check-imports
	@Scripts/house --self-test
	@Scripts/house
	@Scripts/check-packages --self-test
	@Scripts/check-packages
	@Scripts/sbom --self-test
	@Scripts/check-isolation --self-test
	@Scripts/check-isolation
	@Scripts/check-documentation --self-test
	@Scripts/check-documentation

.PHONY: verify-unit
verify-unit: ## the systemd unit: correct, and locked down
	@Scripts/verify-unit

.PHONY: lockdown
lockdown: build live forward ## record, serve and forward under the units' restrictions, without systemd
	@Scripts/install-dependencies check
	@Scripts/install-dependencies gateways
	@Scripts/record-locked-down $(binaries)
	@Scripts/serve-locked-down $(release)/sensord-live $(binaries)
	@Scripts/forward-locked-down $(release)/sensord-forward $(binaries)

.PHONY: sanitize
sanitize: dependencies ## the tests under the address and the thread sanitizer
	@Scripts/test-sanitized address
	@Scripts/test-sanitized thread

.PHONY: lab
lab: build ## every scenario against a real bluetoothd (Lab/README.md)
	@Scripts/install-dependencies lab
	$(build) Examples/HotDog release
	Lab/run-all $(release)/sensord

.PHONY: site
site: build live ## the documentation as pages, with pictures and the libraries' reference, in .build/site
	@Scripts/install-dependencies site
	@rm -rf .build/pictures .build/site
	@Scripts/pictures .build/pictures $(release)
	@Scripts/site .build/site $(release) .build/pictures
	@echo "To look at them: python3 -m http.server --bind 127.0.0.1 --directory .build/site 8080, then http://127.0.0.1:8080"

.PHONY: lab-system
lab-system: ## the Debian packages of 'make deb' under a real systemd (Lab/README.md)
	@Scripts/install-dependencies lab
	Lab/system/run-all .build/deb

.PHONY: bench
bench: build ## the store against other layouts; replay, start and memory (Benchmarks/README.md)
	@Scripts/install-dependencies bench
	Benchmarks/run $(release)
	Benchmarks/follow $(release)
	Benchmarks/start $(release)/sensord
	Benchmarks/clients $(release)
	Benchmarks/replay-instructions $(release)/sensord

.PHONY: soak
soak: build live ## the long trials (Scripts/soak.d), with their figures
	@Scripts/soak

.PHONY: fidelity
fidelity: build ## is what is stored what happened? Simulated hearts and sensors (Fidelity/README.md)
	@Fidelity/bench
	@Fidelity/irregular

.PHONY: formats
formats: build ## every format through the programs of others that read it (PyPI): a table
	@Scripts/formats $(release)

.PHONY: fuzz
fuzz: dependencies ## every reader of foreign bytes under the fuzzer, a minute each (Fuzz/README.md)
	@Fuzz/run

.PHONY: live
live: dependencies ## the live hub (Documentation/live.md), in .build/release
	@Scripts/install-dependencies live
	$(build) Live release --product sensord-live

.PHONY: forward
forward: dependencies ## the forwarder to PostgreSQL (Documentation/many-gateways.md), in .build/release
	@Scripts/install-dependencies forward
	$(build) Forward release --product sensord-forward

.PHONY: run-live
run-live: build live ## look in a browser: at the recorder that runs, or at a demonstration
	@Scripts/run-live $(release)

.PHONY: test-live
test-live: dependencies ## the tests of the live hub
	@Scripts/install-dependencies live-tests
	$(build) . --product sensord
	$(build) . --product sensord-simulator
	@SWIFT='$(SWIFT)' Scripts/test-live

.PHONY: test-gateways
test-gateways: ## the tests of the forwarder, with real servers of PostgreSQL
	@Scripts/install-dependencies gateways
	@SWIFT='$(SWIFT)' Scripts/test-gateways

.PHONY: gateways
gateways: ## the forwarder's long trials: 200 random kills, a thousand gateways
	@Scripts/install-dependencies gateways
	@SWIFT='$(SWIFT)' Scripts/gateways

.PHONY: examples
examples: dependencies ## a package that uses the library, with SQLite alone, as its documentation says
	@SWIFT='$(SWIFT)' Examples/check

.PHONY: dependencies
dependencies:
	@Scripts/install-dependencies

# What else is needed for something, as Scripts/install-dependencies lists it.
dependencies-%:
	@Scripts/install-dependencies $*

.PHONY: manuals
manuals: $(binaries) $(helper) ## manual pages and completions for shells, in .build/manuals
	@Scripts/install-dependencies manuals
	@rm -rf .build/manuals
	@Scripts/manuals .build/manuals $(binaries) $(helper) $(wildcard $(release)/sensord-live $(release)/sensord-forward)

.PHONY: try-manuals
try-manuals: manuals ## each page rendered; commands, options and values completed in bash, zsh and fish
	@Scripts/install-dependencies try-manuals
	@Scripts/try-manuals .build/manuals $(release)

.PHONY: deb
deb: build live forward ## Debian packages, in .build/deb
	@Scripts/install-dependencies deb
	@rm -rf .build/deb; mkdir -p .build/deb
	@DEB_RULES_REQUIRES_ROOT=no SOURCE_DATE_EPOCH=$$(dpkg-parsechangelog -S Timestamp) DEB_FOLDER=$(CURDIR)/.build/deb debian/rules clean binary
	@lintian --fail-on error,warning .build/deb/*.deb && ls -l .build/deb
	@Scripts/install-dependencies try-manuals
	@Scripts/try-manuals .build/manuals $(release)

.PHONY: try-packages
try-packages: deb ## those packages in a fresh Debian 12 and 13: installed, used, removed; a table
	@Scripts/install-dependencies release
	@Scripts/try-packages .build/deb

# Built before `sudo make install`, by the person whose checkout this is: root may have no Swift.
$(binaries) $(helper) &: $(sources)
	$(MAKE) build
	@touch $(binaries) $(helper)

.PHONY: install
install: $(binaries) $(helper) manuals ## programs, systemd units, user and group, D-Bus files, manuals (DESTDIR, PREFIX)
	install -D -m 755 -t $(bindir) $(binaries) $(helper)
	$(STRIP) $(bindir)/sensord $(bindir)/sensord-simulator $(bindir)/sensord-interchange
	install -d $(sharedir); cp -R .build/manuals/sensord/. .build/manuals/sensord-simulator/. .build/manuals/sensord-interchange/. $(sharedir)
	install -D -m 644 systemd/user/sensord.service -t $(userunitdir)
	install -D -m 644 -t $(sysusersdir) systemd/sysusers.d/sensord.conf
	install -D -m 644 -t $(policydir) systemd/dbus-1/sensord.conf
	install -D -m 644 -t $(activationdir) systemd/dbus-1/org.sensord.service
	install -D -m 644 -t $(interfacedir) systemd/dbus-1/org.sensord.xml
	install -D -m 644 -t $(docdir) systemd/sensord.conf.example README.md CHANGELOG.md LICENSE
	install -D -m 644 -t $(docdir)/Documentation $(addprefix Documentation/,command-line.md clients.md formats.md store-format.md capture-format.md backup.md)
	install -d $(unitdir)
	sed 's|/usr/\(bin\|share\)/|$(PREFIX)/\1/|' systemd/sensord.service >$(unitdir)/sensord.service
	chmod 644 $(unitdir)/sensord.service
	@[ -n "$(DESTDIR)" ] || Scripts/after-install

.PHONY: install-live
install-live: manuals ## the live hub that 'make live' built, its systemd unit and user (DESTDIR, PREFIX)
	install -D -m 755 -t $(bindir) $(release)/sensord-live
	$(STRIP) $(bindir)/sensord-live
	install -d $(sharedir); cp -R .build/manuals/sensord-live/. $(sharedir)
	install -D -m 644 systemd/sysusers.d/sensord-live.conf -t $(sysusersdir)
	install -D -m 644 -t $(docdir)/Documentation Documentation/live.md
	install -d $(unitdir)
	sed 's|/usr/\(bin\|share\)/|$(PREFIX)/\1/|' systemd/sensord-live.service >$(unitdir)/sensord-live.service
	chmod 644 $(unitdir)/sensord-live.service
	@[ -n "$(DESTDIR)" ] || Scripts/after-install sensord-live

.PHONY: install-forward
install-forward: manuals ## the forwarder that 'make forward' built, its systemd unit and user (DESTDIR, PREFIX)
	install -D -m 755 -t $(bindir) $(release)/sensord-forward
	$(STRIP) $(bindir)/sensord-forward
	install -d $(sharedir); cp -R .build/manuals/sensord-forward/. $(sharedir)
	install -D -m 644 systemd/sysusers.d/sensord-forward.conf -t $(sysusersdir)
	install -D -m 644 -t $(forwarddocdir) systemd/forward.conf.example Documentation/many-gateways.md
	install -d $(unitdir)
	sed 's|/usr/\(bin\|share\)/|$(PREFIX)/\1/|' systemd/sensord-forward.service >$(unitdir)/sensord-forward.service
	chmod 644 $(unitdir)/sensord-forward.service
	@[ -n "$(DESTDIR)" ] || Scripts/after-install sensord-forward

.PHONY: uninstall
uninstall: ## remove what install put in place; recordings and the user stay
	@[ -n "$(DESTDIR)" ] || [ ! -d /run/systemd/system ] || systemctl disable --now sensord.service
	@[ -n "$(DESTDIR)" ] || [ ! -d /run/systemd/system ] || systemctl disable --now sensord-live.service 2>/dev/null || true
	@[ -n "$(DESTDIR)" ] || [ ! -d /run/systemd/system ] || systemctl disable --now sensord-forward.service 2>/dev/null || true
	rm -f $(bindir)/sensord-live $(unitdir)/sensord-live.service $(sysusersdir)/sensord-live.conf
	rm -f $(bindir)/sensord-forward $(unitdir)/sensord-forward.service $(sysusersdir)/sensord-forward.conf $(sharedir)/man/man8/sensord-forward*.8
	rm -f $(bindir)/sensord $(bindir)/sensord-simulator $(bindir)/sensord-interchange $(unitdir)/sensord.service
	rm -f $(sysusersdir)/sensord.conf $(policydir)/sensord.conf
	rm -f $(activationdir)/org.sensord.service $(interfacedir)/org.sensord.xml $(userunitdir)/sensord.service
	rm -f $(sharedir)/man/man1/sensord*.1 $(sharedir)/man/man5/sensord*.5 $(sharedir)/man/man5/org.sensord.5 $(sharedir)/man/man7/sensord*.7
	rm -f $(sharedir)/bash-completion/completions/sensord* $(sharedir)/zsh/vendor-completions/_sensord*
	rm -f $(sharedir)/fish/vendor_completions.d/sensord*
	rm -rf $(docdir) $(forwarddocdir)
