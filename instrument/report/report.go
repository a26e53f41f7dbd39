// Package report writes what a run did as the text of a pull request. It is pure: the same run gives the same text. All
// that comes from the repository, the registry or a model is quoted by internal/plain, so that none of it is markup, a
// mention or a link.
package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"aburn/internal/plain"
	"aburn/internal/scrub"
)

// Bounds of the text: GitHub takes 65,536 characters.
const (
	maxBody = 60_000
	maxRows = 100
	maxList = 30
)

// Title is the pull request's title. Nothing of the repository stands in it.
func Title(r Run) string {
	spans, files := r.spans()
	return fmt.Sprintf("Add OpenTelemetry spans: %s in %s", plain.Plural(int64(spans), "span"), plain.Plural(int64(files), "file"))
}

// Body is the pull request's text, as Markdown.
func Body(r Run) string {
	var b strings.Builder
	r.verdict(&b)
	r.table(&b)
	r.schema(&b)
	r.libraries(&b)
	r.attention(&b)
	r.telemetry(&b)
	r.notes(&b)
	r.cost(&b)
	b.WriteString("\nSquash when merging: commits in between hold one file each.\n")
	text, _ := scrub.Text(b.String()) // what a hook or a linter said may hold a secret, and others read this
	if len(text) > maxBody {
		at := strings.LastIndexByte(text[:maxBody], '\n')
		text = text[:at] + "\n\nThe rest does not fit: `aburn instrument status --json` has all of it.\n"
	}
	return text
}

func (r Run) spans() (spans, files int) {
	for _, f := range r.Files {
		if f.Status == "success" {
			files++
			spans += len(f.Spans)
		}
	}
	return spans, files
}

// verdict is the line that a reader in a hurry reads.
func (r Run) verdict(b *strings.Builder) {
	spans, files := r.spans()
	used, created := 0, 0
	count := map[string]int{}
	for _, f := range r.Files {
		used, created = used+f.AttributesUsed, created+f.AttributesCreated
		count[f.Status]++
	}
	fmt.Fprintf(b, "**%d of %s instrumented: %s, %s set, %d new in the registry.** ", files, plain.Plural(int64(len(r.Files)), "file"),
		plain.Plural(int64(spans), "span"), plain.Plural(int64(used), "attribute"), created)
	if files > 0 {
		b.WriteString("Nothing else changed in these files: the syntax trees without the spans equal those before. ")
	}
	for _, s := range []struct{ status, says string }{{"failed", "failed"}, {"needs-human", "for a person"}, {"skipped", "skipped"}} {
		if count[s.status] > 0 {
			fmt.Fprintf(b, "%d %s. ", count[s.status], s.says)
		}
	}
	b.WriteString(r.Tests.says() + "\n")
	if r.Stopped != "" {
		b.WriteString("\nThe run stopped early: " + plain.Code(r.Stopped) + "\n")
	}
}

// says tells what a reader has to know of the tests.
func (t *Tests) says() string {
	switch {
	case t == nil:
		return "No tests were run."
	case len(t.RedByTheRun) > 0:
		return plain.Plural(int64(len(t.RedByTheRun)), "test is red that was green before", "tests are red that were green before") + "."
	case t.RedBefore < 0:
		return fmt.Sprintf("%d tests are red; how many were before is not known.", t.RedAfter)
	case t.RedAfter == 0:
		return "All tests pass."
	}
	return fmt.Sprintf("%d tests are red, as before.", t.RedAfter)
}

func (r Run) table(b *strings.Builder) {
	var rows [][]string
	for _, f := range r.Files[:min(len(r.Files), maxRows)] {
		tokens := "–"
		if f.Tokens > 0 {
			tokens = plain.Count(int64(f.Tokens))
		}
		rows = append(rows, []string{plain.CodePath(f.Path), plain.OneLine(f.Status, 20), byTier(f.Spans), fmt.Sprint(f.AttributesUsed),
			fmt.Sprint(f.AttributesCreated), fmt.Sprint(f.Attempts), tokens})
	}
	if len(rows) > 0 {
		b.WriteString("\n## Files\n\n")
		plain.MarkdownTable(b, []string{"file", "status", "spans by tier", "attributes", "new", "attempts", "tokens"}, rows)
		more(b, len(r.Files)-maxRows)
	}
	var left [][]string
	for _, f := range r.Files {
		if f.Status != "success" && len(left) < maxRows {
			left = append(left, []string{plain.CodePath(f.Path), plain.OneLine(f.Status, 20), plain.CodeMax(f.Reason, 300)})
		}
	}
	if len(left) > 0 {
		b.WriteString("\n### Not instrumented\n\n")
		plain.MarkdownTable(b, []string{"file", "status", "why"}, left)
	}
}

// byTier is "3: 1 in tier 1, 2 in tier 3".
func byTier(spans []Span) string {
	tiers := map[int]int{}
	for _, s := range spans {
		tiers[s.Tier]++
	}
	var parts []string
	for tier := 1; tier <= 4; tier++ {
		if tiers[tier] > 0 {
			parts = append(parts, fmt.Sprintf("%d in tier %d", tiers[tier], tier))
		}
	}
	if len(parts) == 0 {
		return fmt.Sprint(len(spans))
	}
	return fmt.Sprintf("%d: %s", len(spans), strings.Join(parts, ", "))
}

func more(b *strings.Builder, n int) {
	if n > 0 {
		fmt.Fprintf(b, "\n%d more\n", n)
	}
}

func (r Run) schema(b *strings.Builder) {
	var rows [][]string
	for _, c := range r.Changes {
		if c.Field == "" {
			rows = append(rows, []string{plain.OneLine(string(c.Kind), 20), plain.OneLine(c.Item, 20), plain.Code(c.Name), plain.CodePath(c.File)})
		}
	}
	if len(rows) > 0 {
		b.WriteString("\n## Registry\n\n")
		plain.MarkdownTable(b, []string{"change", "what", "name", "file"}, rows[:min(len(rows), maxRows)])
		more(b, len(rows)-maxRows)
	}
	if r.Weaver != "" {
		b.WriteString("\nWeaver says:\n\n" + block(r.Weaver))
	}
}

// block quotes lines of text, none of which can end the block.
func block(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimRight(plain.Text(text), "\n"), "\n") {
		if i == maxRows {
			b.WriteString("    …\n")
			break
		}
		b.WriteString("    " + plain.OneLine(line, 300) + "\n")
	}
	return b.String()
}

func (r Run) libraries(b *strings.Builder) {
	if len(r.Libraries)+len(r.Failures) == 0 && r.SetUp == nil {
		return
	}
	b.WriteString("\n## Libraries\n\n")
	var rows [][]string
	for _, l := range r.Libraries {
		rows = append(rows, []string{plain.Code(l.Package), quoted(l.Covers)})
	}
	if len(rows) > 0 {
		plain.MarkdownTable(b, []string{"installed", "makes spans for"}, rows)
	}
	list(b, "Not installed:", r.Failures)
	if s := r.SetUp; s != nil && s.Fallback != "" {
		fmt.Fprintf(b, "\n%s was not understood (%s). %s has the libraries, and says how to load it: **somebody has to**.\n", plain.CodePath(s.File),
			plain.Code(s.Why), plain.CodePath(s.Fallback))
	} else if s != nil && len(s.Added) > 0 {
		fmt.Fprintf(b, "\n%s starts %s.\n", plain.CodePath(s.File), quoted(s.Added))
	}
}

func quoted(list []string) string {
	var out []string
	for _, s := range list[:min(len(list), maxList)] {
		out = append(out, plain.Code(s))
	}
	return strings.Join(out, ", ")
}

// list writes a heading and what stands below it, if there is anything.
func list(b *strings.Builder, heading string, items []string) {
	if len(items) == 0 {
		return
	}
	b.WriteString("\n" + heading + "\n\n")
	for _, s := range items[:min(len(items), maxList)] {
		b.WriteString("- " + plain.CodeMax(s, 300) + "\n")
	}
	more(b, len(items)-maxList)
}

// attention names what deserves a look: in strict each span of tier 3, in strict and moderate files with far more spans
// than the others.
func (r Run) attention(b *strings.Builder) {
	var rows []string
	if r.Sensitivity == "strict" {
		for _, f := range r.Files {
			for _, s := range f.Spans {
				if s.Tier == 3 && f.Status == "success" {
					rows = append(rows, fmt.Sprintf("- %s in %s has the span %s only because it is an entry point: %s\n", plain.Code(s.Function), plain.CodePath(f.Path),
						plain.Code(s.Name), plain.Code(s.Reason)))
				}
			}
		}
	}
	if r.Sensitivity != "off" {
		for _, f := range r.outliers() {
			rows = append(rows, fmt.Sprintf("- %s got %d spans, far more than the other files\n", plain.CodePath(f.Path), len(f.Spans)))
		}
	}
	if len(rows) == 0 {
		return
	}
	b.WriteString("\n## Look at\n\n" + strings.Join(rows[:min(len(rows), maxList)], ""))
	more(b, len(rows)-maxList)
}

// outliers are files with more spans than the mean of the run and two standard deviations; one in strict.
func (r Run) outliers() (list []File) {
	far := 2.0
	if r.Sensitivity == "strict" {
		far = 1
	}
	files := slices.DeleteFunc(slices.Clone(r.Files), func(f File) bool { return f.Status != "success" })
	n := float64(len(files))
	if n < 3 {
		return nil
	}
	sum, squares := 0.0, 0.0
	for _, f := range files {
		sum += float64(len(f.Spans))
	}
	mean := sum / n
	for _, f := range files {
		squares += (float64(len(f.Spans)) - mean) * (float64(len(f.Spans)) - mean)
	}
	for _, f := range files {
		if float64(len(f.Spans)) > mean+far*math.Sqrt(squares/n) {
			list = append(list, f)
		}
	}
	return list
}

func (r Run) telemetry(b *strings.Builder) {
	if r.Record == nil && r.Exports == "" {
		return
	}
	b.WriteString("\n## What the tests emit\n\n")
	if r.Exports != "" {
		b.WriteString("Telemetry goes to: " + plain.Code(r.Exports) + "\n\n")
	}
	switch rec := r.Record; {
	case rec == nil:
		b.WriteString("Nothing was recorded.\n")
	case rec.Spans == 0:
		b.WriteString("**No span arrived.** Nothing shows that the tests reach the new spans.\n")
	default:
		fmt.Fprintf(b, "%s, %s.", plain.Plural(int64(rec.Spans), "span"), plain.Plural(int64(rec.Names), "name"))
		if rec.Judged > 0 {
			fmt.Fprintf(b, " Instrumentation Score %.0f; %d of its %d rules could be judged.", rec.Score, rec.Judged, rec.Of)
		}
		b.WriteString("\n")
	}
	if r.Record != nil {
		list(b, "Findings:", r.Record.Findings)
	}
	if r.Tests != nil {
		list(b, "Red now, green before:", r.Tests.RedByTheRun)
	}
}

func (r Run) notes(b *strings.Builder) {
	var rows []string
	for _, f := range r.Files {
		for _, s := range slices.Concat(f.Notes, f.Dropped, f.Advisory) {
			rows = append(rows, f.Path+": "+s)
		}
	}
	list(b, "## Notes", slices.Concat(r.Warnings, rows))
}

func (r Run) cost(b *strings.Builder) {
	if r.Ceiling == nil && r.Actual == nil && len(r.Versions) == 0 {
		return
	}
	b.WriteString("\n## Cost and versions\n\n")
	if r.Ceiling == nil && r.Actual == nil {
		b.WriteString("No model was asked.\n")
	} else {
		plain.MarkdownTable(b, []string{"", "calls", "tokens", "dollars", "basis"}, [][]string{r.Ceiling.row("at most"), r.Actual.row("was")})
	}
	if len(r.Versions) > 0 {
		b.WriteString("\n" + quoted(r.Versions) + "\n")
	}
}

func (a *Amount) row(name string) []string {
	if a == nil {
		return []string{name, "–", "–", "–", "–"}
	}
	usd := "unknown"
	if a.USD != nil {
		usd = fmt.Sprintf("%.2f", *a.USD)
	}
	return []string{name, fmt.Sprint(a.Calls), plain.Count(int64(a.Tokens)), usd, plain.OneLine(a.Basis, 30)}
}
