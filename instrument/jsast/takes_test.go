package jsast

import (
	"testing"
)

// TestNodeTakes: node's own compiler answers for both kinds of modules, and runs nothing.
func TestNodeTakes(t *testing.T) {
	n := node(t)
	for text, want := range map[string]map[SourceType]bool{
		"#!/usr/bin/env node\nimport x from 'y'\nawait x": {ESModule: true, CommonJS: false},
		"\uFEFFconst x = require('y'); return":            {ESModule: false, CommonJS: true},
		"const a = <p>hello</p>":                          {ESModule: false, CommonJS: false},
		"#!/usr/bin/env node\nexports.x = import('y')":    {ESModule: true, CommonJS: true},
		"process.exit(1)":                                 {ESModule: true, CommonJS: true},
	} {
		for kind, takes := range want {
			if got := n.Takes(t.Context(), &Module{Source: []byte(text), Type: kind}); got != takes {
				t.Errorf("%s as %s: %t", text, kind, got)
			}
		}
	}
	if _, err := Parse(t.Context(), n, []byte("f()"), Auto); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
