package archiving

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aburn/archive"
	"aburn/archive/ingest"
	"aburn/archive/lookup"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/term"
	"aburn/internal/units"
	"aburn/trace/readers"
)

// maxListed is how many stores of one kind the text lists. --json lists all.
const maxListed = 10

// printIngest prints a run. It fails if something could not be archived.
func printIngest(a *kit.App, run *ingestRun, r *ingest.Report) error {
	if run.json {
		if err := a.PrintJSON(ingestReport(run, r)); err != nil {
			return err
		}
	} else if !run.quiet {
		ingestText(a, run, r)
	}
	failed := 0
	for i := range r.Sources {
		for _, s := range r.Sources[i].Skipped {
			if s.Kind != ingest.NotSince {
				failed++
			}
			if s.Kind != ingest.NotSince && run.quiet && !run.json {
				a.Warn(r.Sources[i].Name + ": " + skipText(a, s))
			}
		}
	}
	switch {
	case r.Interrupted:
		return fault.Failed("interrupted: what was read is archived", "aburn ingest  # continues")
	case failed == 0 && len(run.options.Places.Paths) > 0 && !slices.ContainsFunc(r.Sources, func(s ingest.Source) bool { return s.Stores > 0 }):
		return fault.Failed("aburn found no session of an agent that it knows in "+strings.Join(run.options.Places.Paths, ", "),
			"it knows "+strings.Join(readers.Sources(), ", "))
	case failed > 0 && (run.json || run.options.DryRun):
		return fault.Exit(fault.ExitFailed)
	case failed > 0:
		return fault.Failed(plain.Plural(int64(failed), "thing")+" could not be archived", "aburn ingest --json | jq '.sources[].skipped'")
	}
	return nil
}

// ingestText prints a table of the sources, and below it the stores with faults or notes.
func ingestText(a *kit.App, run *ingestRun, r *ingest.Report) {
	table := term.Table{Columns: []term.Column{
		{Title: "source"}, {Title: "new", Right: true}, {Title: "updated", Right: true}, {Title: "unchanged", Right: true}, {Title: "gone", Right: true},
		{Title: "stores read", Right: true}, {Title: "of", Right: true}, {Title: "bytes", Right: true},
	}}
	if run.options.DryRun {
		table.Columns = []term.Column{{Title: "source"}, {Title: "unchanged", Right: true}, {Title: "stores to read", Right: true}, {Title: "of", Right: true},
			{Title: "bytes", Right: true}}
	}
	lines := 0
	for i := range r.Sources {
		s := &r.Sources[i]
		if s.Stores+s.Gone == 0 {
			continue
		}
		lines++
		counts := []int{s.New, s.Updated, s.Unchanged, s.Gone, s.Read, s.Stores}
		if run.options.DryRun {
			counts = []int{s.Unchanged, s.Read, s.Stores}
		}
		row := []string{s.Name}
		for _, n := range counts {
			row = append(row, plain.Count(int64(n)))
		}
		table.Add(append(row, plain.Size(s.Bytes))...)
	}
	nothing := lines == 0 && len(run.options.Places.Paths) > 0 // tellIngest says it
	if lines == 0 && !nothing && !slices.ContainsFunc(r.Sources, func(s ingest.Source) bool { return len(s.Skipped) > 0 }) {
		a.Note(lookup.NoSessions)
		if looked := lookup.LookedIn(context.Background(), a.Getenv); looked != "" {
			a.Note(looked)
		}
		a.Hint("aburn ingest FOLDER  # reads sessions from another place")
	}
	if lines > 0 && table.Print(run.out, 2) != nil {
		return
	}
	for i := range r.Sources {
		ingestDetails(a, run, &r.Sources[i])
	}
	if run.options.DryRun || nothing {
		return
	}
	for _, line := range ingestFoot(r) {
		fmt.Fprintln(run.out, run.out.Paint(term.Dim, line))
	}
	fmt.Fprintln(run.out, units.Join("archive: "+project.Tilde(run.dir, a.Getenv), plain.Duration(r.Took.Round(time.Millisecond))))
}

func ingestFoot(r *ingest.Report) (lines []string) {
	if r.Linked > 0 {
		lines = append(lines, plain.Plural(int64(r.Linked), "session")+" linked to others")
	}
	if r.Expired > 0 {
		lines = append(lines, plain.Plural(int64(r.Expired), "session")+" deleted: older than archive.retention")
	}
	if r.Rescrubbed > 0 {
		lines = append(lines, plain.Plural(int64(r.Rescrubbed), "session")+" scrubbed again, by newer rules")
	}
	return lines
}

// ingestDetails lists the faults and notes of one source, the worst first.
func ingestDetails(a *kit.App, run *ingestRun, s *ingest.Source) {
	var skipped, damaged, notes []string
	since := 0
	for _, skip := range s.Skipped {
		if skip.Kind == ingest.NotSince {
			since++
			continue
		}
		skipped = append(skipped, skipText(a, skip))
	}
	for _, p := range s.Damaged {
		damaged = append(damaged, project.Tilde(p.Path, a.Getenv)+placeText(p)+": "+p.Reason)
	}
	for _, n := range s.Notes {
		notes = append(notes, string(n.Kind)+": "+project.Tilde(n.Path, a.Getenv)+": "+n.Text)
	}
	ingestList(a, run.out, term.BoldRed, s.Name+" skipped", skipped, len(skipped))
	ingestList(a, run.out, term.BoldYellow, s.Name+" damaged", damaged, s.DamagedAll)
	ingestList(a, run.out, term.Cyan, s.Name, notes, len(notes))
	if since > 0 {
		fmt.Fprintf(run.out, "%s  %s not changed since then\n", run.out.Paint(term.Dim, s.Name), plain.Plural(int64(since), "store"))
	}
}

func ingestList(a *kit.App, out *term.Out, style term.Style, title string, lines []string, all int) {
	for i, line := range lines {
		if i == maxListed && all > maxListed+1 {
			fmt.Fprintf(out, "%s  and %s more: --json lists them\n", out.Paint(style, title), plain.Count(int64(all-i)))
			return
		}
		fmt.Fprintf(out, "%s  %s\n", out.Paint(style, title), plain.Line(line))
	}
}

// skipText is a skipped store and the reason. Many reasons name the path already.
func skipText(a *kit.App, s ingest.Skip) string {
	path := project.Tilde(s.Path, a.Getenv)
	if path == "" || strings.Contains(s.Reason, path) || strings.Contains(s.Reason, s.Path) {
		return s.Reason
	}
	return path + ": " + s.Reason
}

func placeText(p ingest.Place) string {
	switch {
	case p.Ref.Line > 0:
		return fmt.Sprintf(":%d (byte %d)", p.Ref.Line, p.Ref.Offset)
	case p.Ref.Table != "":
		return ": " + p.Ref.Table + " " + p.Ref.Key
	}
	return ""
}

// printRound prints one line for each source in which a watch found something. It warns of each unreadable store once.
func printRound(a *kit.App, run *ingestRun, r *ingest.Report) {
	var news []string
	for i := range r.Sources {
		s := &r.Sources[i]
		for _, skip := range s.Skipped {
			if text := s.Name + ": " + skipText(a, skip); skip.Kind != ingest.NotSince && !run.reportedSkips[text] {
				run.reportedSkips[text] = true
				news = append(news, text)
			}
		}
		if s.New+s.Updated+s.Gone > 0 && !run.quiet && !run.json {
			fmt.Fprintf(run.out, "%s  %s  %s new, %s updated, %s gone\n", run.out.Paint(term.Dim, r.Started.Local().Format("15:04:05")), s.Name,
				plain.Count(int64(s.New)), plain.Count(int64(s.Updated)), plain.Count(int64(s.Gone)))
		}
	}
	if run.json {
		if r.Changed() || len(news) > 0 {
			_ = a.PrintJSON(ingestReport(run, r))
		}
		return
	}
	for _, text := range news {
		a.Warn(text)
	}
}

// IngestReport is `aburn ingest --json`.
type IngestReport struct {
	Archive     string             `json:"archive"`
	DryRun      bool               `json:"dry_run,omitempty"`
	Interrupted bool               `json:"interrupted,omitempty"`
	TookMS      int64              `json:"took_ms"`
	Sources     []ingestSourceJSON `json:"sources"`
	Linked      int                `json:"linked"`
	Expired     int                `json:"expired"`
	Rescrubbed  int                `json:"rescrubbed"`
}

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

type ingestNoteJSON struct {
	Path string `json:"path"`
	Kind string `json:"kind"`
	Text string `json:"text"`
}

type ingestPlaceJSON struct {
	Path   string `json:"path"`
	Line   int64  `json:"line,omitempty"`
	Offset int64  `json:"offset,omitempty"`
	Table  string `json:"table,omitempty"`
	Key    string `json:"key,omitempty"`
	Reason string `json:"reason"`
}

// IngestCheckReport is `aburn ingest --check --json`.
type IngestCheckReport struct {
	Archive  string   `json:"archive"`
	Sessions int      `json:"sessions"`
	Faults   []string `json:"faults"`
}

func ingestReport(run *ingestRun, r *ingest.Report) IngestReport {
	j := IngestReport{
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
