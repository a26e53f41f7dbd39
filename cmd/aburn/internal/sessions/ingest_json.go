package sessions

import (
	"path/filepath"

	"aburn/archive"
	"aburn/archive/ingest"
)

// IngestJSON is what a run did.
type IngestJSON struct {
	Archive     string             `json:"archive"`
	DryRun      bool               `json:"dry_run,omitempty"`
	Interrupted bool               `json:"interrupted,omitempty"`
	TookMS      int64              `json:"took_ms"`
	Sources     []ingestSourceJSON `json:"sources"`
	Linked      int                `json:"linked"`
	Expired     int                `json:"expired"`
	Rescrubbed  int                `json:"rescrubbed"`
}

// ingestSourceJSON is what it did with one agent's stores.
type ingestSourceJSON struct {
	Source     string            `json:"source"`
	Stores     int               `json:"stores"`
	Read       int               `json:"read"`
	Bytes      int64             `json:"bytes"`
	New        int               `json:"new"`
	Updated    int               `json:"updated"`
	Unchanged  int               `json:"unchanged"`
	Gone       int               `json:"gone"`
	Old        int               `json:"old"`
	Skipped    []ingestNoteJSON  `json:"skipped"`
	Notes      []ingestNoteJSON  `json:"notes"`
	Damaged    []ingestPlaceJSON `json:"damaged"`
	DamagedAll int               `json:"damaged_all"`
}

// ingestNoteJSON is something about one store.
type ingestNoteJSON struct {
	Path string `json:"path"`
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// ingestPlaceJSON is a place that could not be read.
type ingestPlaceJSON struct {
	Path   string `json:"path"`
	Line   int64  `json:"line,omitempty"`
	Offset int64  `json:"offset,omitempty"`
	Table  string `json:"table,omitempty"`
	Key    string `json:"key,omitempty"`
	Reason string `json:"reason"`
}

// IngestCheckJSON is what --check found.
type IngestCheckJSON struct {
	Archive  string   `json:"archive"`
	Sessions int      `json:"sessions"`
	Faults   []string `json:"faults"`
}

func ingestReport(run *ingestRun, r *ingest.Report) IngestJSON {
	j := IngestJSON{
		Archive: filepath.Join(run.dir, archive.Name), DryRun: run.options.DryRun, Interrupted: r.Interrupted, TookMS: r.Took.Milliseconds(),
		Linked: r.Linked, Expired: r.Expired, Rescrubbed: r.Rescrubbed, Sources: []ingestSourceJSON{},
	}
	for i := range r.Sources {
		s := &r.Sources[i]
		source := ingestSourceJSON{
			Source: s.Name, Stores: s.Stores, Read: s.Read, Bytes: s.Bytes, New: s.New, Updated: s.Updated, Unchanged: s.Unchanged,
			Gone: s.Gone, Old: s.Old, DamagedAll: s.DamagedAll, Skipped: []ingestNoteJSON{}, Notes: []ingestNoteJSON{}, Damaged: []ingestPlaceJSON{},
		}
		for _, k := range s.Skipped {
			source.Skipped = append(source.Skipped, ingestNoteJSON{k.Path, string(k.Kind), k.Reason})
		}
		for _, n := range s.Notes {
			source.Notes = append(source.Notes, ingestNoteJSON{n.Path, string(n.Kind), n.Text})
		}
		for _, p := range s.Damaged {
			source.Damaged = append(source.Damaged, ingestPlaceJSON{p.Path, p.Ref.Line, p.Ref.Offset, p.Ref.Table, p.Ref.Key, p.Reason})
		}
		j.Sources = append(j.Sources, source)
	}
	return j
}
