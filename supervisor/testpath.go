package supervisor

import (
	"path"
	"slices"
	"strings"
)

// holdsTests reports whether production code of this language has its tests in the
// same file, so that an edit of it says nothing.
func holdsTests(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".rs", ".zig", ".d", ".rkt", ".ml", ".roc", ".odin", ".v":
		return true
	}
	return false
}

// likelyTest reports whether a path that the model takes for production code may as
// well be a test or what tests need: one of its words says so. Every ecosystem has
// its own layout, and no list of patterns has them all.
func likelyTest(path string) bool {
	for _, word := range words(path) {
		switch {
		case slices.Contains(testWords, word):
			return true
		case slices.Contains(noTestWords, word):
		case strings.HasPrefix(word, "test"), strings.HasSuffix(word, "test"), strings.HasSuffix(word, "tests"), strings.HasSuffix(word, "spec"), strings.HasSuffix(word, "specs"):
			return true
		}
	}
	return false
}

var testWords = []string{
	"spec", "e2e", "bdd", "behave", "cucumber", "gherkin", "stepdef", "stepdefs", "fixture", "fixtures", "mock", "mocks", "stub", "stubs", "fake", "fakes",
	"acceptance", "conftest", "golden", "goldens", "cypress", "playwright", "smoke", "qa", "itest", "t",
}

// mayTestWords stand in paths of tests and of production code alike.
var mayTestWords = []string{
	"step", "steps", "feature", "features", "factory", "factories", "integration", "functional", "unit", "example", "examples", "sample", "samples",
	"snapshot", "snapshots", "double", "doubles", "dummy", "bench", "benches", "benchmark", "benchmarks", "regression", "stories", "harness", "support", "it",
}

// perhapsTest is likelyTest for words that prove less.
func perhapsTest(path string) bool {
	return slices.ContainsFunc(words(path), func(word string) bool { return slices.Contains(mayTestWords, word) })
}

var noTestWords = []string{
	"latest", "fastest", "greatest", "shortest", "lightest", "contest", "contests", "attest", "protest", "protests", "detest",
	"testimonial", "testimonials", "testament", "testify", "inspec",
}

// words are those of a path in small letters: FooTest_bar/x-y.go has foo, test, bar, x, y and go.
func words(path string) []string {
	var list []string
	from := 0
	end := func(i int) {
		if i > from {
			list = append(list, strings.ToLower(path[from:i]))
		}
		from = i
	}
	for i := range len(path) {
		switch c := path[i]; {
		case 'A' <= c && c <= 'Z':
			if i > 0 && !('A' <= path[i-1] && path[i-1] <= 'Z') {
				end(i)
			}
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c >= 0x80:
		default:
			end(i)
			from = i + 1
		}
	}
	end(len(path))
	return list
}
