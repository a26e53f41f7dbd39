package daemon

import (
	"os"
	"strings"
	"testing"
)

// A log that is full is emptied while it is written, and what stood in it is kept once.
func TestLogIsShortened(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	out, err := root.OpenFile(logFile, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	d := &daemon{out: out, state: &State{dir: dir, root: root}}
	said := 0
	for ; said < 40; said++ {
		d.say("/src/shop", strings.Repeat("x", maxLog/16)+" said "+string(rune('A'+said)))
	}
	now, err := root.ReadFile(logFile)
	old, err2 := root.ReadFile(logFile + ".old")
	if err != nil || err2 != nil || len(now) > maxLog || len(old) <= maxLog {
		t.Fatalf("the log has %d bytes, the one before it %d: %v, %v", len(now), len(old), err, err2)
	}
	all := string(old) + string(now)
	first := strings.Index(all, " said ")
	at := int(all[first+len(" said ")] - 'A')
	for n := at; n < said; n++ {
		if c := strings.Count(all, " said "+string(rune('A'+n))+"\n"); c != 1 {
			t.Errorf("what was said as number %d is there %d times", n, c)
		}
	}

	// What is not the log stays whole.
	other, err := os.Create(dir + "/other")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	d.out = other
	d.say("/src/shop", strings.Repeat("y", maxLog+1))
	if st, err := other.Stat(); err != nil || st.Size() <= maxLog {
		t.Errorf("another output was emptied: %v", err)
	}
}
