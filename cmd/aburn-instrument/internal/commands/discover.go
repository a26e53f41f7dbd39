package commands

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"aburn/cmd/internal/kit"
	"aburn/instrument"
	"aburn/instrument/jsproject"
	"aburn/internal/fetch"
	"aburn/internal/plain"
	"aburn/internal/term"
)

// maxAsked bounds the packages that npm is asked about.
const maxAsked = 30

// discovered is an instrumentation that npm has and aburn's table has not. It is never installed: a name is no proof of
// what a package does, nor of who made it.
type discovered struct {
	For     string `json:"for"` // the package that the project calls
	Package string `json:"package"`
	Version string `json:"version"` // the newest
}

// plainName is a package's name without a scope: one with a scope may be nobody else's to know.
var plainName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,100}$`)

// unknown are packages that the files call, that no library of the table covers, and that a package.json names.
func unknown(dir string, found *instrument.Inventory) (names []string) {
	for _, f := range found.Files {
		m, err := jsproject.ReadManifest(filepath.Join(dir, filepath.FromSlash(jsproject.PackageOf(dir, f.Path))))
		if err != nil {
			continue
		}
		for _, fn := range f.Functions {
			for _, call := range fn.Calls {
				if len(call.CoveredBy) == 0 && m.Dependencies[call.Package] != "" && plainName.MatchString(call.Package) && !slices.Contains(names, call.Package) {
					names = append(names, call.Package)
				}
			}
		}
	}
	slices.Sort(names)
	return names
}

// discover asks the npm registry whether there are instrumentations for packages that aburn does not know. Their names
// are all that leaves the machine.
func discover(ctx context.Context, a *kit.App, dir string, found *instrument.Inventory) (list []discovered) {
	names := unknown(dir, found)
	if len(names) > maxAsked {
		a.Warn(fmt.Sprintf("%d packages are not known; npm is asked about %d", len(names), maxAsked), "name fewer paths")
		names = names[:maxAsked]
	}
	registry := strings.TrimRight(cmp.Or(a.Getenv("npm_config_registry"), "https://registry.npmjs.org"), "/")
	var client fetch.Client
	for _, name := range names {
		pkg := "@opentelemetry/instrumentation-" + name
		body, err := client.Do(ctx, fetch.Request{URL: registry + "/" + strings.ReplaceAll(pkg, "/", "%2f"),
			Header: map[string]string{"Accept": "application/vnd.npm.install-v1+json"}})
		var status *fetch.Status
		if errors.As(err, &status) && status.Code == http.StatusNotFound {
			continue
		}
		var answer struct {
			Tags map[string]string `json:"dist-tags"`
		}
		if err == nil {
			err = json.Unmarshal(body, &answer)
		}
		if err != nil {
			a.Warn("npm could not be asked: " + plain.Line(err.Error()))
			return list
		}
		if v := answer.Tags["latest"]; v != "" {
			list = append(list, discovered{name, pkg, v})
		}
	}
	return list
}

func printDiscovered(out *term.Out, list []discovered) {
	if len(list) > 0 {
		fmt.Fprintln(out, "npm also has these, which aburn does not know and never installs; look who made them:")
	}
	for _, d := range list {
		fmt.Fprintf(out, "  %s %s for %s\n", d.Package, plain.Line(d.Version), d.For)
	}
}
