package draft

import "testing"

func TestCountLines(t *testing.T) {
	for text, want := range map[string]int{"": 0, "\n": 1, "a": 1, "a\n": 1, "a\nb": 2, "a\n\n": 2} {
		if got := CountLines([]byte(text)); got != want {
			t.Errorf("%q: %d, not %d", text, got, want)
		}
	}
}

func TestCountDiff(t *testing.T) {
	for diff, want := range map[string][2]int{
		"":                                  {0, 0},
		"--- a\n+++ b\n":                    {0, 0},
		"--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y": {1, 1},
		"@@ -1 +1,2 @@\n x\n+y\n@@ -9 +9 @@\n+z\n": {2, 0},
		"@@ -1 +1 @@\n--- not a name\n":            {0, 1},
	} {
		if added, removed := CountDiff(diff); added != want[0] || removed != want[1] {
			t.Errorf("%q: +%d -%d, not %v", diff, added, removed, want)
		}
	}
}

func TestFileHash(t *testing.T) {
	if got := FileHash([]byte("abc")); got != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Error(got)
	}
}
