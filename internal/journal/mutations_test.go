package journal_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"aburn/internal/journal"
	"aburn/logfmt"
)

// mutation changes the files of a log in place. It returns false where it has nothing to change.
type mutation struct {
	name string
	do   func(m *model, files map[string][]byte) bool
}

// mutations are the ways of changing a log that SPEC.md, section 5, says the anchor shows.
var mutations = []mutation{
	{"flip a bit", onFile(func(m *model, b []byte) []byte {
		b[m.rng.IntN(len(b))] ^= 1 << m.rng.IntN(8)
		return b
	})},
	{"edit an entry, with a crc of its own", onEntry(func(m *model, line []byte) []byte { return edited(line, nil) })},
	{"edit an entry, with its old crc", onEntry(func(m *model, line []byte) []byte {
		return bytes.Replace(line, []byte(`"session"`), []byte(`"sessiom"`), 1)
	})},
	{"edit the newest entry, with a crc of its own", func(m *model, files map[string][]byte) bool {
		lines := bytes.SplitAfter(files[journal.Name], []byte("\n"))
		for i := len(lines) - 1; i >= 0; i-- {
			if h, ok := logfmt.ParseHeader(bytes.TrimSuffix(lines[i], []byte("\n"))); ok && h.Seq > 0 {
				lines[i] = append(edited(bytes.TrimSuffix(lines[i], []byte("\n")), nil), '\n')
				files[journal.Name] = bytes.Join(lines, nil)
				return true
			}
		}
		return false
	}},
	{"edit a human line", onLines(func(m *model, lines [][]byte) [][]byte {
		i := m.pick(lines, func(l []byte) bool { return l[0] == '#' })
		if i < 0 {
			return nil
		}
		lines[i] = []byte("# SESSION:TOOL - all is well")
		return lines
	})},
	{"delete a line", onLines(func(m *model, lines [][]byte) [][]byte {
		i := m.rng.IntN(len(lines))
		return slices.Delete(lines, i, i+1)
	})},
	{"delete entries without number", onLines(func(m *model, lines [][]byte) [][]byte {
		n := len(lines)
		lines = slices.DeleteFunc(lines, func(l []byte) bool {
			h, ok := logfmt.ParseHeader(l)
			return ok && h.Seq == 0
		})
		if len(lines) == n {
			return nil
		}
		return lines
	})},
	{"copy an entry", onLines(func(m *model, lines [][]byte) [][]byte {
		i := m.pick(lines, func(l []byte) bool { return l[0] == '{' })
		if i < 0 {
			return nil
		}
		return slices.Insert(lines, m.rng.IntN(len(lines)+1), lines[i])
	})},
	{"exchange two lines", onLines(func(m *model, lines [][]byte) [][]byte {
		i, k := m.rng.IntN(len(lines)), m.rng.IntN(len(lines))
		lines[i], lines[k] = lines[k], lines[i]
		return lines
	})},
	{"insert an entry without number", onLines(func(m *model, lines [][]byte) [][]byte {
		return slices.Insert(lines, m.rng.IntN(len(lines)+1), forged(0, logfmt.Complete, nil))
	})},
	{"turn line ends into CR LF", onFile(func(m *model, b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) })},
	{"put blanks around a line", onLines(func(m *model, lines [][]byte) [][]byte {
		i := m.rng.IntN(len(lines))
		lines[i] = []byte(" " + string(lines[i]) + "\t")
		return lines
	})},
	{"add a blank line", onLines(func(m *model, lines [][]byte) [][]byte {
		return slices.Insert(lines, m.rng.IntN(len(lines)+1), []byte{})
	})},
	{"cut off the end", onFile(func(m *model, b []byte) []byte { return b[:m.rng.IntN(len(b))] })},
	{"cut off the end at an entry", func(m *model, files map[string][]byte) bool {
		b := files[journal.Name]
		for range 1 + m.rng.IntN(3) {
			i := bytes.LastIndex(b, []byte("\n{"))
			if i < 0 {
				return false
			}
			b = b[:i+1]
		}
		files[journal.Name] = b
		return true
	}},
	{"cut off the beginning", onFile(func(m *model, b []byte) []byte {
		lines := bytes.SplitAfter(b, []byte("\n"))
		return bytes.Join(lines[1+m.rng.IntN(len(lines)):], nil)
	})},
	{"delete the log", func(m *model, files map[string][]byte) bool {
		delete(files, journal.Name)
		return true
	}},
	{"delete a segment", func(m *model, files map[string][]byte) bool {
		delete(files, m.file(files))
		return true
	}},
	{"exchange two segments", func(m *model, files map[string][]byte) bool {
		a, b := m.file(files), m.file(files)
		if a == b || m.placed != journal.Name { // SPEC.md, section 5: no CHECKPOINT names them yet
			return false
		}
		files[a], files[b] = files[b], files[a]
		return true
	}},
	{"put back an old copy of all", func(m *model, files map[string][]byte) bool {
		if m.rollback == nil {
			return false
		}
		clear(files)
		maps.Copy(files, m.rollback)
		return true
	}},
	{"put another log in its place", func(m *model, files map[string][]byte) bool {
		var b []byte
		for seq := range 1 + m.rng.IntN(40) {
			b = append(append(b, forged(logfmt.Seq(seq+1), logfmt.Tool, nil)...), '\n')
		}
		clear(files)
		files[journal.Name] = b
		return true
	}},
	{"delete an entry and excuse it by a CHECKPOINT without number", excused(0)},
	{"delete an entry and excuse it by a CHECKPOINT with the next number", excused(1)},
	{"delete an entry and give its number to a CHECKPOINT that excuses it", excused(2)},
	{"name more as dropped in a CHECKPOINT, and delete the oldest segment", func(m *model, files map[string][]byte) bool {
		segments := slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(n string) bool { return n == journal.Name })
		if len(segments) == 0 {
			return false
		}
		delete(files, segments[m.rng.IntN(len(segments))])
		lines := bytes.Split(files[journal.Name], []byte("\n"))
		for i, l := range lines {
			if bytes.Contains(l, []byte(`"carrying":`)) {
				lines[i] = edited(l, func(e *logfmt.Entry) {
					c, _ := logfmt.ParseCheckpoint(e.Data)
					c.Dropped = []logfmt.Range{{First: 1, Last: e.Seq - 1}}
					e.Data = c.Bytes()
				})
			}
		}
		files[journal.Name] = bytes.Join(lines, []byte("\n"))
		return true
	}},
	{"hide entries as carried lines", onLines(func(m *model, lines [][]byte) [][]byte {
		data := logfmt.CheckpointData{Segment: "workflow.log.1", First: 1, Last: 1, Entries: 1, Carried: 2}
		return slices.Insert(lines, m.rng.IntN(len(lines)+1), forged(logfmt.Seq(m.rng.IntN(2)*50), logfmt.Checkpoint, data.Bytes()))
	})},
	{"edit a carried line", onCarried(func(m *model, lines [][]byte) [][]byte {
		i := m.rng.IntN(len(lines))
		lines[i] = edited(lines[i], nil)
		return lines
	})},
	{"delete a carried line", onCarried(func(m *model, lines [][]byte) [][]byte { return lines[1:] })},
	{"add a carried line", onCarried(func(m *model, lines [][]byte) [][]byte {
		return append(lines, forged(1, logfmt.Complete, []byte(`{"summary":"forged"}`)))
	})},
	{"exchange a carried line", onCarried(func(m *model, lines [][]byte) [][]byte {
		lines[0] = forged(1, logfmt.Complete, []byte(`{"summary":"forged"}`))
		return lines
	})},
	{"rename a segment", func(m *model, files map[string][]byte) bool {
		name := m.file(files)
		if name == journal.Name || m.placed != journal.Name { // SPEC.md, section 5: no CHECKPOINT names it yet
			return false
		}
		files[fmt.Sprint(journal.Name, ".", 1000+m.rng.IntN(9))] = files[name]
		delete(files, name)
		return true
	}},
	{"add to the end of a rotated segment and cut off its own", func(m *model, files map[string][]byte) bool {
		name := m.file(files)
		b := files[name]
		i := bytes.LastIndex(b, []byte("\n{"))
		if name == journal.Name || i < 0 {
			return false
		}
		files[name] = append(append(slices.Clone(b[:i+1]), forged(0, logfmt.Tool, nil)...), '\n')
		return true
	}},
}

func (m *model) file(files map[string][]byte) string {
	all := slices.Sorted(maps.Keys(files))
	if len(all) == 0 {
		return journal.Name
	}
	return all[m.rng.IntN(len(all))]
}

func (m *model) pick(lines [][]byte, fits func([]byte) bool) int {
	var all []int
	for i, l := range lines {
		if len(l) > 0 && fits(l) {
			all = append(all, i)
		}
	}
	if len(all) == 0 {
		return -1
	}
	return all[m.rng.IntN(len(all))]
}

func onFile(do func(*model, []byte) []byte) func(*model, map[string][]byte) bool {
	return func(m *model, files map[string][]byte) bool {
		name := m.file(files)
		if len(files[name]) == 0 {
			return false
		}
		files[name] = do(m, slices.Clone(files[name]))
		return true
	}
}

// onLines changes the lines of a file, without their LFs; nil = none to change.
func onLines(do func(*model, [][]byte) [][]byte) func(*model, map[string][]byte) bool {
	return func(m *model, files map[string][]byte) bool {
		name := m.file(files)
		lines := bytes.Split(bytes.TrimSuffix(files[name], []byte("\n")), []byte("\n"))
		if lines = do(m, slices.Clone(lines)); lines == nil {
			return false
		}
		files[name] = append(bytes.Join(lines, []byte("\n")), '\n')
		return true
	}
}

func onEntry(do func(*model, []byte) []byte) func(*model, map[string][]byte) bool {
	return onLines(func(m *model, lines [][]byte) [][]byte {
		i := m.pick(lines, func(l []byte) bool { return l[0] == '{' && logfmt.Check(l) == nil })
		if i < 0 {
			return nil
		}
		lines[i] = do(m, lines[i])
		return lines
	})
}

// onCarried changes the carried lines of the newest segment, and makes counts and sums fit.
func onCarried(do func(*model, [][]byte) [][]byte) func(*model, map[string][]byte) bool {
	return func(m *model, files map[string][]byte) bool {
		lines := bytes.Split(files[journal.Name], []byte("\n"))
		var b logfmt.Block
		from, to := -1, -1
		for i, l := range lines {
			if b.Step(l) {
				if from < 0 {
					from = i
				}
				to = i + 1
			}
		}
		if from < 2 || to >= len(lines) {
			return false
		}
		carried := do(m, slices.Clone(lines[from:to]))
		fits := m.fitting && m.rng.IntN(2) == 0
		recount := func(line []byte) []byte {
			if !fits {
				return line
			}
			return edited(line, func(e *logfmt.Entry) {
				if c, ok := logfmt.ParseCheckpoint(e.Data); ok {
					c.Carried = len(carried)
					c = summed(c, carried)
					e.Data = c.Bytes()
				}
			})
		}
		lines[from-2] = recount(lines[from-2])
		lines[to] = recount(lines[to])
		files[journal.Name] = bytes.Join(slices.Concat(lines[:from], carried, lines[to:]), []byte("\n"))
		return true
	}
}

// summed gives a closing CHECKPOINT the sum of these carried lines.
func summed(c logfmt.CheckpointData, lines [][]byte) logfmt.CheckpointData {
	h := sha256.New()
	for _, l := range lines {
		h.Write(append(slices.Clone(l), '\n'))
	}
	c.Sum = logfmt.Hash(h.Sum(nil))
	return c
}

// excused deletes a numbered entry and adds a CHECKPOINT that names it as dropped: 0 without number, 1 with the next one, 2 with that of
// the deleted entry.
func excused(how int) func(*model, map[string][]byte) bool {
	return func(m *model, files map[string][]byte) bool {
		lines := bytes.Split(bytes.TrimSuffix(files[journal.Name], []byte("\n")), []byte("\n"))
		last := logfmt.Seq(0)
		for _, l := range lines {
			if h, ok := logfmt.ParseHeader(l); ok {
				last = max(last, h.Seq)
			}
		}
		i := m.pick(lines, func(l []byte) bool {
			h, ok := logfmt.ParseHeader(l)
			return ok && h.Seq > 0
		})
		if i < 0 {
			return false
		}
		h, _ := logfmt.ParseHeader(lines[i])
		gone := h.Seq
		data := logfmt.CheckpointData{Segment: "workflow.log.1", Dropped: []logfmt.Range{{First: gone, Last: gone}}}
		if how == 2 {
			lines[i] = forged(gone, logfmt.Checkpoint, data.Bytes())
		} else {
			lines = append(slices.Delete(lines, i, i+1), forged(logfmt.Seq(how)*(last+1), logfmt.Checkpoint, data.Bytes()))
		}
		files[journal.Name] = append(bytes.Join(lines, []byte("\n")), '\n')
		return true
	}
}

// edited is an entry line changed, with a crc that fits.
func edited(line []byte, do func(*logfmt.Entry)) []byte {
	e, err := logfmt.Parse(line)
	if err != nil {
		return line
	}
	if do != nil {
		do(&e)
	} else {
		e.Source = "somebody"
	}
	return lineOf(&e)
}

func forged(seq logfmt.Seq, ev logfmt.Event, data []byte) []byte {
	e := entry(fmt.Sprint("forged", seq, ev))
	if e.Event, e.Seq = ev, seq; data != nil {
		e.Data = data
	}
	if ev != logfmt.Tool {
		e.Cmd = "plan"
	}
	return lineOf(e)
}

// lineOf is the entry's line, without the human one.
func lineOf(e *logfmt.Entry) []byte {
	b, err := e.AppendTo(nil)
	if err != nil {
		panic(err)
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return []byte(line)
}
