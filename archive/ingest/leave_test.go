package ingest

import (
	"testing"

	"aburn/archive"
	"aburn/trace"
)

// A look can be cut down to what is read at once: the last changed stores, up to a number of bytes.
func TestLeave(t *testing.T) {
	c := Changes{Stores: []trace.Store{{Path: "new"}, {Path: "large"}, {Path: "old"}, {Path: "oldest"}}, Bytes: []int64{5, 100, 3, 3}}
	if n, bytes := c.Leave(10); n != 2 || bytes != 103 || len(c.Stores) != 2 || c.Stores[0].Path != "new" || c.Stores[1].Path != "old" {
		t.Errorf("%d stores with %d bytes are left out of %v", n, bytes, c.Stores)
	}
}

func TestUnread(t *testing.T) {
	for _, c := range []struct {
		known *archive.Known
		size  int64
		want  int64
	}{{nil, 9, 9}, {&archive.Known{Size: 4}, 9, 5}, {&archive.Known{Size: 4, Whole: true}, 9, 9}, {&archive.Known{Size: 12}, 9, 9}} {
		if got := unread(c.known, &trace.Store{Size: c.size}); got != c.want {
			t.Errorf("%+v: %d, want %d", c.known, got, c.want)
		}
	}
}
