# make run      builds Scrapbook and starts it; APP=Color for the other, DOCUMENTS=folder, PORT=number
# make test     every test there is: Swift, crashes, an app's code from iOS, the apps in a browser
# make bench    the figures, beside their peers; ONLY=name for one group
# make lint     format, layers, style
# make docs     the API's pages, in .build/docs
# make install  the apps and the sheaf command under PREFIX (else /usr/local)
# make clean    takes away all that was built
#
# What is missing on the system is installed first, or named: see scripts/prepare.

SHELL := /bin/bash
SWIFT ?= swift
APP ?= Scrapbook
DOCUMENTS ?=
PORT ?=
CONFIGURATION ?= debug
PREFIX ?= /usr/local
DESTDIR ?=
export SWIFT

.PHONY: run test bench lint docs install clean

run:
	@scripts/prepare run
	@$(SWIFT) build --configuration $(CONFIGURATION) --product $(APP)
	@exec .build/$(CONFIGURATION)/$(APP) $(if $(DOCUMENTS),--documents "$(DOCUMENTS)") $(if $(PORT),--port $(PORT))

test:
	@scripts/prepare test
	@scripts/test

bench:
	@scripts/prepare bench
	@scripts/venv
	@ONLY="$(ONLY)" scripts/bench

lint:
	@scripts/prepare lint
	@scripts/lint

docs:
	@scripts/prepare run
	@scripts/docs

install:
	@scripts/prepare run
	@scripts/install "$(DESTDIR)" "$(PREFIX)"

clean:
	rm -rf .build Benchmarks/.build Tests/Fixtures/iOSClient/.build
