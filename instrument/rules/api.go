package rules

import (
	"slices"
	"strings"

	"aburn/instrument/edit"
	"aburn/instrument/jsast"
)

func onlyAPI(p *Pair) []found {
	if p.Config.SDKInit {
		return nil
	}
	return p.addedImports(func(module string) bool {
		return strings.HasPrefix(module, "@opentelemetry/") && module != edit.API
	}, "is imported; instrumented code imports @opentelemetry/api and nothing else of it")
}

func vendors(p *Pair) []found {
	return p.addedImports(edit.IsVendor, "is the SDK of one vendor")
}

// setUpPackages begin the names of packages that only a set-up file imports.
var setUpPackages = []string{"sdk-", "core", "exporter-", "instrumentation", "auto-instrumentations-", "resources", "otlp-", "propagator-", "context-"}

func setUp(p *Pair) []found {
	if p.Config.SDKInit {
		return nil
	}
	return p.addedImports(func(module string) bool {
		name, ok := strings.CutPrefix(module, "@opentelemetry/")
		return ok && slices.ContainsFunc(setUpPackages, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	}, "belongs into the file that sets up the SDK")
}

// addedImports finds added loads of modules, one for each statement.
func (p *Pair) addedImports(is func(module string) bool, what string) []found {
	var list []found
	var seen []*jsast.Node
	for _, i := range p.known().imports {
		if is(i.Module) && !slices.Contains(seen, i.Node) {
			seen = append(seen, i.Node)
			list = append(list, at(i.Node.Start, "%s %s", i.Module, what))
		}
	}
	return list
}
