package install

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// edit replaces the text old at offset at by new. Edits of one list refer to the same bytes and never overlap.
type edit struct {
	at       int
	old, new string
}

// splice carries out edits in any order.
func splice(data []byte, edits []edit) []byte {
	edits = inOrder(edits)
	var out []byte
	from := 0
	for _, e := range edits {
		out = append(out, data[from:e.at]...)
		out = append(out, e.new...)
		from = e.at + len(e.old)
	}
	return append(out, data[from:]...)
}

func inOrder(edits []edit) []edit {
	return slices.SortedStableFunc(slices.Values(edits), func(a, b edit) int { return cmp.Compare(a.at, b.at) })
}

// style is a file's layout, which insertions follow.
type style struct {
	eol    string // "\n" or "\r\n"
	unit   string // one level of indentation
	colon  string // between key and value
	comma  string // between items on one line
	inline bool   // the whole file stands on one line
}

// style derives the layout from the root: its first line end, the indentation of its first item, its first colon.
func (d *document) style() style {
	s := style{eol: "\n", unit: "  ", colon: ": ", comma: ", "}
	if i := bytes.IndexByte(d.data, '\n'); i > 0 && d.data[i-1] == '\r' {
		s.eol = "\r\n"
	}
	spans := d.root.spans()
	if len(spans) == 0 {
		return s
	}
	inside := d.data[d.root.start:d.root.end]
	s.inline = !bytes.ContainsAny(inside, "\r\n")
	if before := d.text(d.root.start+1, spans[0].start); strings.ContainsAny(before, "\r\n") {
		s.unit = indentation(before)
	}
	if d.root.kind == object {
		m := d.root.members[0]
		if at := m.keyStart + len(d.keyText(m)); len(d.commentsIn(at, m.value.start)) == 0 {
			s.colon = d.text(at, m.value.start)
		}
	}
	switch {
	case s.inline && len(spans) > 1 && len(d.commentsIn(spans[0].end, spans[1].start)) == 0:
		s.comma = d.text(spans[0].end, spans[1].start)
	case s.inline && s.colon == ":":
		s.comma = ","
	}
	return s
}

func (d *document) text(start, end int) string { return string(d.data[start:end]) }

// commentsIn are the comments between two places.
func (d *document) commentsIn(start, end int) (out []span) {
	for _, c := range d.comments {
		if c.start >= start && c.end <= end {
			out = append(out, c)
		}
	}
	return out
}

// afterComments is the place behind the comments that follow at on its line: they are about what stands before them.
func (d *document) afterComments(at int) int {
	for _, c := range d.comments {
		if c.start >= at && strings.Trim(d.text(at, c.start), " \t") == "" {
			at = c.end
		}
	}
	return at
}

// keyText is a member's key as written, with quotes.
func (d *document) keyText(m member) string {
	s := scanner{data: d.data, pos: m.keyStart}
	_ = s.skipString() // scanned before, so no error
	return d.text(m.keyStart, s.pos)
}

// indentation is the space at the beginning of the last line of s.
func indentation(s string) string {
	line := s[strings.LastIndexAny(s, "\r\n")+1:]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// lineIndent is the indentation of the line in which at stands.
func (d *document) lineIndent(at int) string {
	return indentation(strings.TrimPrefix(d.text(0, at), string(utf8BOM)))
}

// span is the place of an item of an object (key and value) or of an array.
type span struct{ start, end int }

func (v *value) spans() []span {
	var out []span
	for _, m := range v.members {
		out = append(out, span{m.keyStart, m.value.end})
	}
	for _, e := range v.elems {
		out = append(out, span{e.start, e.end})
	}
	return out
}

// tree is JSON to be printed. A tree without items prints as its raw text.
type tree struct {
	raw   string
	open  string // "{" or "["
	items []item
	lines bool // one item per line, unless the file's style is inline
}

// item is a member of an object, or with an empty key an item of an array.
type item struct {
	key  string
	tree tree
}

// print formats t for a line indented by indent.
func (s style) print(t tree, indent string) string {
	if t.open == "" {
		return t.raw
	}
	before, between, after := "", s.comma, ""
	inner := indent
	if t.lines && !s.inline {
		inner = indent + s.unit
		before, between, after = s.eol+inner, ","+s.eol+inner, s.eol+indent
	}
	var b strings.Builder
	b.WriteString(t.open + before)
	for i, it := range t.items {
		if i > 0 {
			b.WriteString(between)
		}
		b.WriteString(s.item(it, inner))
	}
	b.WriteString(after)
	b.WriteByte(t.open[0] + 2) // '[' and ']', '{' and '}' are two apart in ASCII
	return b.String()
}

func (s style) item(it item, indent string) string {
	if it.key == "" {
		return s.print(it.tree, indent)
	}
	return quote(it.key) + s.colon + s.print(it.tree, indent)
}

// appendTo are the edits that add items at the end of the container v. cut is their inverse.
func (d *document) appendTo(v value, s style, items []item) []edit {
	spans := v.spans()
	if len(spans) == 0 {
		return []edit{d.fill(v, s, items)}
	}
	last := spans[len(spans)-1]
	gapStart := v.start + 1
	if len(spans) > 1 {
		gapStart = spans[len(spans)-2].end
	}
	gap := d.text(gapStart, last.start)
	between, indent := s.comma, d.lineIndent(last.start)
	at := d.afterComments(last.end)
	switch {
	case strings.ContainsAny(gap, "\r\n"):
		indent = indentation(gap)
		between = "," + s.eol + indent
	case at > last.end:
		between = "," + s.eol + indent
	case len(spans) > 1 && len(d.commentsIn(gapStart, last.start)) == 0:
		between = gap
	}
	texts := make([]string, len(items))
	for i, it := range items {
		texts[i] = s.item(it, indent)
	}
	all := between + strings.Join(texts, between)
	if at == last.end {
		return []edit{{at: at, new: all}}
	}
	return []edit{{at: last.end, new: ","}, {at: at, new: strings.TrimPrefix(all, ",")}}
}

// fill is appendTo for an empty container: it replaces the white space between the brackets. A comment there stays,
// before the items.
func (d *document) fill(v value, s style, items []item) edit {
	e := edit{at: v.start + 1, old: d.text(v.start+1, v.end-1)}
	indent := d.lineIndent(v.start)
	lines := v.kind == object && !s.inline || strings.ContainsAny(e.old, "\r\n")
	if inside := d.commentsIn(v.start, v.end); len(inside) > 0 {
		e.at = inside[len(inside)-1].end
		e.old, lines = d.text(e.at, v.end-1), true
	}
	before, between, after := "", s.comma, ""
	if lines {
		inner := indent + s.unit
		before, between, after = s.eol+inner, ","+s.eol+inner, s.eol+indent
		indent = inner
	}
	texts := make([]string, len(items))
	for i, it := range items {
		texts[i] = s.item(it, indent)
	}
	e.new = before + strings.Join(texts, between) + after
	return e
}

// cut are the edits that remove the items of v for which gone is true. An item goes with the comma and the space
// before it, as appendTo put them there, or with those after it if no item before it stays. If no item stays, empty
// replaces everything between the brackets.
func (d *document) cut(v value, empty string, gone func(i int) bool) []edit {
	spans := v.spans()
	kept := slices.DeleteFunc(indexes(len(spans)), gone)
	switch {
	case len(kept) == len(spans):
		return nil
	case len(kept) == 0:
		added := func(c span) bool { return !strings.Contains(empty, d.text(c.start, c.end)) }
		if slices.ContainsFunc(d.loose(spans, v.start, v.end), added) {
			return d.without(spans, v.start+1, v.end-1)
		}
		return []edit{{v.start + 1, d.text(v.start+1, v.end-1), empty}}
	}
	var edits []edit
	edits = append(edits, d.without(spans[:kept[0]], spans[0].start, spans[kept[0]].start)...)
	for n, i := range kept {
		next := len(spans)
		if n+1 < len(kept) {
			next = kept[n+1]
		}
		edits = append(edits, d.without(spans[i+1:next], spans[i].end, spans[next-1].end)...)
	}
	return edits
}

// without are the edits that remove these items between start and end, with their commas and the space around. Comments
// between items stay, each with the space before it.
func (d *document) without(items []span, start, end int) (edits []edit) {
	remove := func(start, end int) {
		if start < end {
			edits = append(edits, edit{at: start, old: d.text(start, end)})
		}
	}
	loose := d.loose(items, start, end)
	if len(loose) == 0 {
		remove(start, end)
		return edits
	}
	for _, c := range append(loose, span{end, end}) {
		last := start // where the last item before the comment ends
		for _, it := range items {
			if it.start >= start && it.end <= c.start {
				last = it.end
			}
		}
		comma := last
		if i := strings.IndexByte(d.text(last, c.start), ','); i >= 0 {
			comma = last + i + 1
		}
		switch {
		case last > start:
			remove(start+d.keptBreak(start, max(last, comma)), max(last, comma))
		case comma > last:
			remove(comma-1, comma)
		}
		start = c.end
	}
	return edits
}

// loose are the comments between start and end that stand in none of the items.
func (d *document) loose(items []span, start, end int) []span {
	return slices.DeleteFunc(d.commentsIn(start, end), func(c span) bool {
		return slices.ContainsFunc(items, func(i span) bool { return i.start <= c.start && c.end <= i.end })
	})
}

// keptBreak is how many bytes at start must stay when the text from there to end goes: those of a line's end that ends a
// comment, unless another follows.
func (d *document) keptBreak(start, end int) int {
	endsLine := func(c span) bool { return c.end == start && d.data[c.start+1] == '/' }
	rest := strings.TrimLeft(d.text(end, len(d.data)), " \t")
	if !slices.ContainsFunc(d.comments, endsLine) || rest == "" || rest[0] == '\r' || rest[0] == '\n' {
		return 0
	}
	text := d.text(start, end)
	return len(text) - len(strings.TrimLeft(text, "\r\n"))
}

func indexes(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
