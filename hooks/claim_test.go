package hooks

import "testing"

// A claim is read only where a sentence says plainly that something succeeded.
func TestClaims(t *testing.T) {
	for message, want := range map[string]string{
		"":                                                          "",
		"Done.":                                                     "",
		"All tests pass.":                                           "tests",
		"All 42 tests are passing now!":                             "tests",
		"I fixed it. The test suite is green.":                      "tests",
		"**All tests pass** ✅":                                      "tests",
		"12 tests passed, 0 failed":                                 "tests",
		"The build succeeds and all tests pass":                     "tests,build",
		"It compiles without errors.":                               "build",
		"Type checks pass, lint is clean.":                          "types,lint",
		"The implementation is complete.":                           "done",
		"Everything works.":                                         "done",
		"The tests should pass now.":                                "",
		"The tests don't pass yet.":                                 "",
		"Do the tests pass?":                                        "",
		"Two tests fail, all others pass.":                          "",
		"I could not run the tests, but the code compiles.":         "",
		"Run `npm test` to see that all tests pass.":                "",
		"Once the tests pass, merge it.":                            "",
		"All tests pass except one.":                                "",
		"I made the tests pass for the parser. The rest is broken.": "tests",
		"I still have to make all tests pass.":                      "",
		"The password test data is green":                           "tests",
		"I changed the code.":                                       "",
		"Alle Tests sind grün.":                                     "",
	} {
		if got := Claims(message); got != want {
			t.Errorf("%q claims %q, want %q", message, got, want)
		}
	}
}

func FuzzClaims(f *testing.F) {
	for _, s := range []string{"All tests pass.", "\xff.", "no", "0 failed", "–"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got := Claims(s); got != Claims(s) || len(got) > len("tests,build,types,lint,done") {
			t.Errorf("%q: %q", s, got)
		}
	})
}
