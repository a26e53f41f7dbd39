package failure_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"aburn/insight/failure"
	"aburn/trace"
)

// What differs between equal errors goes, and what tells different ones apart stays.
func TestNormal(t *testing.T) {
	for head, want := range map[string]string{
		"":     "",
		"boom": "boom",
		// Paths, with lines and columns, quoted ones with blanks, drives, names of files, not fractions and abbreviations.
		"./pop_test.go:8:12: undefined: Stack":       "<path>:#:#: undefined: Stack",
		"cannot open '/home/x/My Files/a b.txt': no": "cannot open '<path>': no",
		`open C:\Users\x\a.txt: denied`:              "open <path>: denied",
		"FAIL example.com/shop/cart 0.01s":           "FAIL <path> #",
		"read ~/.npmrc, package.json and x.go.orig":  "read <path>, <path> and <path>",
		"3/5 passed, N/A, e.g. s.Pop":                "#/# passed, N/A, e.g. s.Pop",
		"see https://example.com/a?b=1#c.":           "see <url>.",
		"HTTP/1.1 404 Not Found":                     "HTTP/# 404 Not Found",
		// Numbers, sizes, durations, dates; but not those in names, and no HTTP status.
		"took 1.25s, then 2m 3s and 1m30s":                 "took #, then # and #",
		"1,234 bytes, 12.5MB of 99%":                       "# bytes, # of #%",
		"listen tcp 127.0.0.1:8080":                        "listen tcp #:#",
		"try again at Mar 17th, 2030 5:46 PM":              "try again at # #, # #:#",
		"2026-11-21T10:11:12.123Z x":                       "# x",
		"2026/11/21 10:11:12 and 2026-11-21":               "# and #",
		"2026-11-21 10:11:12: a 2026-11-21T10:11:12+01:00": "#: a #",
		"error TS2322, E0308, utf8, base64, x86_64":        "error TS2322, E0308, utf8, base64, x86_64",
		"The requested URL returned error: 403":            "The requested URL returned error: 403",
		"got status 404, want 200":                         "got status 404, want #",
		"exit status 2":                                    "exit status #",
		"v1.2.3 and go1.26.8":                              "v# and go1.#",
		// Hashes and ids.
		"could not apply 1a2b3c4... or 1234567... x":          "could not apply #... or #... x",
		"at 0x7ffd12ab, pid 77":                               "at #, pid #",
		"request 550e8400-e29b-41d4-a716-446655440000 failed": "request <id> failed",
		"task ses_e02e78b49ffeUT7tzZoVKRnaX0: no":             "task <id>: no",
		"decade defaced beefed":                               "decade defaced beefed",
		// What is drawn, and colours whose first byte is gone.
		"===== FAILURES ===== ^~~~~ [31mred[0m": "=== FAILURES === ^~ red",
		"a   b":                                 "a b",
		// What agents write around it.
		"Exit code 1 boom": "boom",
		"Exit code 1":      "",
		"<tool_use_error>Error: no</tool_use_error>":                                                                 "no",
		"<tool_use_error>String to replace not found in file. String: a b</tool_use_error>":                          "String to replace not found in file.",
		"Chunk ID: 62d5c3 Wall time: 0.5 seconds Process exited with code 3 Original token count: 2 Output: bad out": "bad out",
		"<untrusted_context> Output: out Exit Code: 3 Process Group PGID: 25180 </untrusted_context>":                "out",
		"bad (Command exited with code 3)":                                                                           "bad",
		"no <shell_metadata> shell tool terminated </shell_metadata>":                                                "no",
	} {
		if got := failure.Normal(head); got != want {
			t.Errorf("%q\n got %q\nwant %q", head, got, want)
		}
	}
}

// Whatever the text, its normal form is a text on one line, no longer than it by more than what stands for what was replaced.
func FuzzNormal(f *testing.F) {
	for _, s := range []string{"Exit code 1 ./x.go:1:2: y 0.1s", "2m 0s <id> [31m", "Mar 1st 'C:\\a b' v1.2", "没有 x/y 1a2b3c4"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !trace.OneLine(s) {
			return
		}
		got := failure.Normal(s)
		if !utf8.ValidString(got) || !trace.OneLine(got) {
			t.Errorf("%q is %q", s, got)
		}
		if again := failure.Normal(got); again != got {
			t.Errorf("%q is %q, and that is %q", s, got, again)
		}
		if strings.ContainsAny(got, "\n") || len(got) > 6*len(s) {
			t.Errorf("%q has %d bytes, and is %q", s, len(s), got)
		}
		if c := failure.Classify(failure.Failure{Type: trace.ShellTool, Tool: "Bash", Command: s, Head: s}); c == "" {
			t.Error("it has no class")
		}
	})
}
