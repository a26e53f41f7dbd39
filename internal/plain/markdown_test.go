package plain

import (
	"strings"
	"testing"
)

func TestCode(t *testing.T) {
	for in, want := range map[string]string{
		"": "", " \n\t": "",
		"go test ./...":             "`go test ./...`",
		"a\nb\r\n\tc":               "`a b c`",
		"``` `rm -rf` ```":          "`''' 'rm -rf' '''`",
		"a\x1b[31mb":                "`a\ufffd[31mb`",
		"a\u202eb\U000e0041":        "`a\ufffdb\ufffd`",
		"a\xffb":                    "`a\ufffdb`",
		strings.Repeat("x", 120):    "`" + strings.Repeat("x", 120) + "`",
		strings.Repeat("x", 121):    "`" + strings.Repeat("x", 117) + "…`",
		strings.Repeat("`a`\n", 99): "`" + strings.TrimRight(strings.Repeat("'a' ", 99)[:117], " ") + "…`",
	} {
		if got := Code(in); got != want {
			t.Errorf("Code(%q) is %q, want %q", in, got, want)
		}
	}
}

func TestCodePath(t *testing.T) {
	long := strings.Repeat("x", 200)
	for in, want := range map[string]string{
		"":                 "",
		"a/b.go":           "`a/b.go`",
		long + "/b.go":     "`…" + long[:112] + "/b.go`",
		"ä" + long[:118]:   "`ä" + long[:118] + "`",
		"ä" + long[:119]:   "`…" + long[:117] + "`",
		"äää" + long[:116]: "`…" + long[:116] + "`",
	} {
		if got := CodePath(in); got != want {
			t.Errorf("CodePath(%q) is %q, want %q", in, got, want)
		}
	}
}

func TestMarkdownTable(t *testing.T) {
	var b strings.Builder
	MarkdownTable(&b, []string{"what", "times"}, [][]string{{Code("a | b"), "3"}, {Code(`a\\|b`), "4"}})
	if want := "| what | times |\n|---|---|\n| `a \\| b` | 3 |\n| `a\\|b` | 4 |\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
