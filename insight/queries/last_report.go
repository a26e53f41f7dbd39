package queries

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"aburn/internal/atomicfile"
)

// lastReportName is the file in the folder of the archive that says when a person last read a report.
const lastReportName = "last-report"

// Reports within one sitting count as one look, so that what is new stays new for an hour. firstSpan is what is new to somebody who
// never looked.
const (
	sitting   = time.Hour
	firstSpan = 7 * 24 * time.Hour
)

// reportTimes is the content of lastReportName: when the current sitting began to be read last, and the one before it.
type reportTimes struct {
	V      int       `json:"v"`
	Last   time.Time `json:"last"`
	Before time.Time `json:"before,omitzero"`
}

func readReportTimes(dir string) (t reportTimes) {
	text, err := os.ReadFile(filepath.Join(dir, lastReportName))
	if err != nil || json.Unmarshal(text, &t) != nil || t.V != 1 {
		return reportTimes{}
	}
	return t
}

// lastReport is when the sitting before this one was. first says that there was none.
func lastReport(dir string, now time.Time) (since time.Time, first bool) {
	t := readReportTimes(dir)
	if now.Sub(t.Last) < sitting {
		t.Last = t.Before
	}
	if t.Last.IsZero() || t.Last.After(now) {
		return now.Add(-firstSpan), true
	}
	return t.Last, false
}

// NoteReport remembers in the folder of the archive that a person read a report now. Where it can't, the next report counts from an earlier one.
func NoteReport(dir string, now time.Time) {
	t := readReportTimes(dir)
	if now.Sub(t.Last) >= sitting {
		t.Before = t.Last
	}
	t.V, t.Last = 1, now.UTC().Truncate(time.Second)
	if text, err := json.Marshal(t); err == nil {
		_ = atomicfile.Write(filepath.Join(dir, lastReportName), append(text, '\n'), 0o600, atomicfile.Options{})
	}
}
