package scan

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// Library makes spans for packages without a change of the code that calls them.
type Library struct {
	Package string   `json:"package"` // the instrumentation
	Class   string   `json:"class"`
	Covers  []string `json:"covers"`  // packages; "http" and "fetch" are node's own
	Patched string   `json:"patched"` // the versions of the covered package that it patches
	// Ranges are what to ask npm for, by the major version of the OpenTelemetry SDK: "2",
	// "3". The lines must not be mixed.
	Ranges  map[string]string `json:"ranges"`
	clients []string          // packages that call what it covers
	// Emits are attributes of the semantic conventions that its spans can have, as its code names them.
	Emits []string `json:"-"`
}

//go:embed libraries.tsv
var librariesTable string

//go:embed emits.tsv
var emitsTable string

// Libraries are all that are known.
var Libraries = sync.OnceValue(func() (list []Library) {
	emits := map[string][]string{}
	for line := range strings.Lines(emitsTable) {
		if f := strings.Split(strings.TrimSpace(line), "\t"); !strings.HasPrefix(line, "#") && len(f) == 3 {
			emits[f[0]] = strings.Split(f[2], ",")
		}
	}
	for line := range strings.Lines(librariesTable) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") || len(f) != 7 {
			continue
		}
		l := Library{Package: f[1], Class: f[2], Covers: strings.Split(f[0], ","), Patched: f[3], Ranges: map[string]string{}, clients: strings.Split(f[6], ","),
			Emits: emits[f[1]]}
		for line, r := range map[string]string{"2": f[4], "3": f[5]} {
			if r != "-" {
				l.Ranges[line] = r
			}
		}
		list = append(list, l)
	}
	return list
})

// covering gives the libraries that make spans for calls of a package.
func covering(pkg string) (list []Library) {
	for _, l := range Libraries() {
		covers := func(p string) bool {
			begin, all := strings.CutSuffix(p, "*")
			return p == pkg || all && strings.HasPrefix(pkg, begin)
		}
		if slices.ContainsFunc(l.Covers, covers) || slices.Contains(l.clients, pkg) {
			list = append(list, l)
		}
	}
	return list
}

func libraryNames(pkg string) (names []string) {
	for _, l := range covering(pkg) {
		names = append(names, l.Package)
	}
	return names
}

// outside are node's own modules whose calls leave the process, and that no library
// covers. That http and https are covered stands in the table.
var outside = []string{"fs", "fs/promises", "child_process", "net", "tls", "dgram", "dns", "dns/promises", "http2", "sqlite"}

// inside are packages whose promises tell of no operation: they order other work.
var inside = []string{"p-map", "p-limit", "p-queue", "p-retry", "p-all", "p-settle", "p-timeout", "bluebird", "delay", "async", "async-mutex", "lodash", "rxjs",
	"zod", "joi", "ajv", "yup", "bcrypt", "bcryptjs", "argon2", "jose", "jsonwebtoken"}

// servers are packages that call handlers, whose requests get a span by a library.
var servers = []string{"express", "koa", "@koa/router", "fastify", "@hapi/hapi", "connect", "restify", "router", "http", "https"}

// packageOf is the package of a module's name: pg of pg/lib/client, fs/promises of
// node:fs/promises; "" for a file of the project.
func packageOf(module string) string {
	name, own := strings.CutPrefix(module, "node:")
	switch {
	case name == "" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "/") || strings.HasPrefix(name, "#"):
		return ""
	case own || slices.Contains(outside, name):
		return name
	}
	parts := strings.SplitN(name, "/", 3)
	if strings.HasPrefix(name, "@") && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}
