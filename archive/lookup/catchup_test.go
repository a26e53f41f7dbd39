package lookup

import (
	"testing"
	"time"

	"aburn/archive/ingest"
)

// The time that is left has a unit that people count in, to the end.
func TestProgressText(t *testing.T) {
	for _, c := range []struct {
		p    ingest.Progress
		want string
	}{
		{ingest.Progress{Linking: true}, "linking sessions"},
		{ingest.Progress{Files: 1200, Bytes: 3 << 20, Took: time.Second}, "  0 %  0 of 1,200 files  0 B of 3 MiB"},
		{ingest.Progress{Files: 1200, FilesDone: 400, Bytes: 300 << 20, BytesDone: 100 << 20, Took: 10 * time.Second},
			" 33 %  400 of 1,200 files  100 MiB of 300 MiB  10 MiB/s  20s left"},
		{ingest.Progress{Files: 2, FilesDone: 2, Bytes: 100 << 20, BytesDone: 100 << 20, Took: 10 * time.Second},
			"100 %  2 of 2 files  100 MiB of 100 MiB  10 MiB/s  1.0s left"},
	} {
		if got := progressText(c.p); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
