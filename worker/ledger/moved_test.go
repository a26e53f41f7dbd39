package ledger

import "testing"

func TestRelocated(t *testing.T) {
	for _, c := range [][4]string{
		{"/a/p", "/a/p", "/b/q", "/b/q"},
		{"/a/p/.trees/x", "/a/p", "/b/q", "/b/q/.trees/x"},
		{"/a/pp/x", "/a/p", "/b/q", "/a/pp/x"},
		{"/home/.local/state/aburn/trees/p/x", "/a/p", "/b/q", "/home/.local/state/aburn/trees/p/x"},
		{"/a/p", "/a/p/sub", "/b/q/sub", "/b/q"}, // the repository around it moved
		{"/a/p", "/a/p/sub", "/b/q/other", "/a/p"},
		{"", "/a/p", "/b/q", ""},
	} {
		if got := relocated(c[0], c[1], c[2]); got != c[3] {
			t.Errorf("%s of %s in %s: %s, want %s", c[0], c[1], c[2], got, c[3])
		}
	}
}
