package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func show(lines []DiffLine) string {
	var b strings.Builder
	for _, l := range lines {
		if l.Op != 'f' && l.Op != '@' {
			b.WriteByte(l.Op)
		}
		b.WriteString(l.Text + "\n")
	}
	return b.String()
}

func TestDiff(t *testing.T) {
	before := "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk"
	after := strings.Replace(strings.Replace(before, "a\n", "a\nA\n", 1), "j\nk", "j\nK\nL", 1)
	got := show(diff("x", []byte(before), []byte(after), []edit{{at: 2, new: "A\n"}, {at: 20, old: "k", new: "K\nL"}}, false, false))
	want := `--- x
+++ x
@@ -1,4 +1,5 @@
 a
+A
 b
 c
 d
@@ -8,4 +9,5 @@
 h
 i
 j
-k
\ No newline at end of file
+K
+L
\ No newline at end of file
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What the diff says is what happens: patch(1) makes the new file of the old one.
func TestDiffIsAPatch(t *testing.T) {
	patch, err := exec.LookPath("patch")
	if err != nil {
		t.Skip("this machine has no patch")
	}
	everyFile(t, 20, func(b *bench, a Agent, original []byte, seed uint64) {
		for _, plan := range []func(Options) (*Change, error){Plan, PlanUninstall} {
			c, err := plan(b.options)
			if err != nil {
				b.Fatal(err)
			}
			file := filepath.Join(b.home, "patched")
			if err := os.WriteFile(file, b.read(), 0o600); err != nil {
				b.Fatal(err)
			}
			cmd := exec.Command(patch, "--binary", "--posix", file)
			cmd.Stdin = strings.NewReader(show(c.Diff()))
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v: %s\n%s", err, out, show(c.Diff()))
			}
			if _, err := c.Apply(); err != nil {
				b.Fatal(err)
			}
			patched, err := os.ReadFile(file)
			if err != nil {
				b.Fatal(err)
			}
			b.want("patched", patched, b.read())
		}
	})
}
