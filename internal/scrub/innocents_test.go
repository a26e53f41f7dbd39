package scrub

import (
	"os"
	"strings"
	"testing"
)

func innocents(t testing.TB) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/innocents.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && !strings.HasPrefix(line, "# ") {
			out = append(out, line)
		}
	}
	return out
}

func TestInnocents(t *testing.T) {
	all := innocents(t)
	for _, s := range all {
		for _, text := range []string{s, "$ " + s, s + "\n", `{"command":"` + strings.ReplaceAll(s, `"`, `\"`) + `"}`} {
			if out, n := Text(text); out != text || n != 0 {
				t.Errorf("%s\n became %s", text, out)
			}
		}
	}
	if whole := strings.Join(all, "\n"); true {
		if out, n := Text(whole); n != 0 {
			for i, line := range strings.Split(out, "\n") {
				if line != all[i] {
					t.Fatalf("among the others, %s\n became %s", all[i], line)
				}
			}
		}
	}
}
