package install

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"

	"aburn/internal/project"
)

// DiffLine is one line of a unified diff. Its text comes from the settings file, so the caller has to make it
// printable.
type DiffLine struct {
	Op   byte // '-' '+' ' ' as in the diff; '@' a hunk's header; 'f' a file's header; '\\' a missing newline at the end
	Text string
}

// diffContext is how many unchanged lines are shown around a change.
const diffContext = 3

// Diff returns the whole change as a unified diff.
func (c *Change) Diff() []DiffLine {
	var out []DiffLine
	for _, f := range c.made() {
		path := filepath.Join(c.Init, project.OssDir, f.name)
		out = append(out, diff(path, nil, f.data, []edit{{new: string(f.data)}}, true, false)...)
	}
	for _, f := range c.Files {
		if !f.Same() {
			out = append(out, f.diff()...)
		}
	}
	return out
}

// made are the files that .oss lacks, if `aburn init` is part of the change.
func (c *Change) made() []ossFile {
	if c.Init == "" {
		return nil
	}
	return slices.DeleteFunc(ossFiles(), func(f ossFile) bool { return exists(filepath.Join(c.Init, project.OssDir, f.name)) })
}

// Made are the names of the files that the change makes in .oss.
func (c *Change) Made() (names []string) {
	for _, f := range c.made() {
		names = append(names, f.name)
	}
	return names
}

func (f *FileChange) diff() []DiffLine {
	if !f.Exists {
		return diff(f.Real, nil, f.New, []edit{{new: string(f.New)}}, true, false)
	}
	return diff(f.Real, f.Old, f.New, f.edits, false, f.Remove)
}

// diff lays out edits from before to after as hunks of whole lines.
func diff(path string, before, after []byte, edits []edit, made, removed bool) []DiffLine {
	from, to := path, path
	if made {
		from = "/dev/null"
	}
	if removed {
		to = "/dev/null"
	}
	out := []DiffLine{{'f', "--- " + from}, {'f', "+++ " + to}}
	lines := splitLines(before)
	shift := 0 // how many lines the hunks so far added
	for hunk := range hunks(changedLines(before, lines, edits)) {
		start := max(0, hunk[0].from-diffContext)
		end := min(len(lines), hunk[len(hunk)-1].to+diffContext)
		var body []DiffLine
		at, removed, added := start, 0, 0
		for _, c := range hunk {
			body = appendLines(body, ' ', lines[at:c.from])
			body = appendLines(body, '-', lines[c.from:c.to])
			body = appendLines(body, '+', c.new)
			at, removed, added = c.to, removed+c.to-c.from, added+len(c.new)
		}
		body = appendLines(body, ' ', lines[at:end])
		n := end - start
		out = append(out, DiffLine{'@', fmt.Sprintf("@@ -%s +%s @@", lineRange(start, n), lineRange(start+shift, n-removed+added))})
		out = append(out, body...)
		shift += added - removed
	}
	return out
}

// lineRange is a hunk's place: the first line from 1 and their number; an empty range counts from the line before.
func lineRange(start, n int) string {
	if n > 0 {
		start++
	}
	if n == 1 {
		return fmt.Sprint(start)
	}
	return fmt.Sprintf("%d,%d", start, n)
}

// changed is a run of lines [from, to) that new replaces.
type changed struct {
	from, to int
	new      []string
}

// changedLines widens edits to whole lines, and joins those that share one.
func changedLines(before []byte, lines []string, edits []edit) (out []changed) {
	starts := make([]int, len(lines)+1) // the offset at which each line begins
	for i, l := range lines {
		starts[i+1] = starts[i] + len(l)
	}
	edits = inOrder(edits)
	line := 0
	for i := 0; i < len(edits); {
		for line < len(lines) && starts[line+1] <= edits[i].at {
			line++
		}
		from, to, joined := line, line, []edit(nil)
		for ; i < len(edits) && (joined == nil || edits[i].at < starts[to]); i++ {
			to = wholeLines(starts, to, edits[i])
			e := edits[i]
			e.at -= starts[from]
			joined = append(joined, e)
		}
		out = append(out, trim(lines, from, to, splitLines(splice(before[starts[from]:starts[to]], joined))))
	}
	return out
}

// wholeLines is the number of the line after the last one that e touches, at least to. An edit whose new text does
// not end a line includes the next line.
func wholeLines(starts []int, to int, e edit) int {
	end := e.at + len(e.old)
	for to < len(starts)-1 && (starts[to] < end || starts[to] <= e.at || starts[to] == end && len(e.old) > 0 && !endsLine(e.new)) {
		to++
	}
	return to
}

func endsLine(s string) bool { return len(s) > 0 && s[len(s)-1] == '\n' }

// trim leaves out equal lines at both ends.
func trim(lines []string, from, to int, new []string) changed {
	for from < to && len(new) > 0 && lines[from] == new[0] {
		from, new = from+1, new[1:]
	}
	for from < to && len(new) > 0 && lines[to-1] == new[len(new)-1] {
		to, new = to-1, new[:len(new)-1]
	}
	return changed{from, to, new}
}

// hunks groups changes whose context would touch.
func hunks(all []changed) func(yield func([]changed) bool) {
	return func(yield func([]changed) bool) {
		for len(all) > 0 {
			n := 1
			for n < len(all) && all[n].from-all[n-1].to <= 2*diffContext {
				n++
			}
			if !yield(all[:n]) {
				return
			}
			all = all[n:]
		}
	}
}

// splitLines keeps the line ends.
func splitLines(data []byte) (lines []string) {
	for l := range bytes.Lines(data) {
		lines = append(lines, string(l))
	}
	return lines
}

func appendLines(out []DiffLine, op byte, lines []string) []DiffLine {
	for _, l := range lines {
		text, whole := bytes.CutSuffix([]byte(l), []byte("\n"))
		out = append(out, DiffLine{op, string(text)})
		if !whole {
			out = append(out, DiffLine{'\\', " No newline at end of file"})
		}
	}
	return out
}
