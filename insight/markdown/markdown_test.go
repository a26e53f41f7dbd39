package markdown

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

func TestPath(t *testing.T) {
	long := strings.Repeat("x", 200)
	for in, want := range map[string]string{
		"":                 "",
		"a/b.go":           "`a/b.go`",
		long + "/b.go":     "`…" + long[:112] + "/b.go`",
		"ä" + long[:118]:   "`ä" + long[:118] + "`",
		"ä" + long[:119]:   "`…" + long[:117] + "`",
		"äää" + long[:116]: "`…" + long[:116] + "`",
	} {
		if got := Path(in); got != want {
			t.Errorf("Path(%q) is %q, want %q", in, got, want)
		}
	}
}

func TestTable(t *testing.T) {
	var b strings.Builder
	Table(&b, []string{"what", "times"}, [][]string{{Code("a | b"), "3"}})
	if want := "| what | times |\n|---|---|\n| `a \\| b` | 3 |\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

func TestPlural(t *testing.T) {
	for n, want := range map[int]string{0: "0 sessions", 1: "1 session", 412: "412 sessions"} {
		if got := Plural(n, "session"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Times(0), "0 times"}, {Times(1), "once"}, {Times(7), "7 times"},
		{Units(1, 0), "1 session"}, {Units(0, 0), "0 sessions"}, {Units(412, 88), "412 sessions and 88 sub-agents"}, {Units(0, 1), "0 sessions and 1 sub-agent"},
		{Session("claude", "5b0c/a`1"), "`claude/5b0c/a'1`"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
