package term

import (
	"io"
	"slices"
	"strings"

	"aburn/internal/plain"
)

// Cell is one field of a table. The table cleans its text.
type Cell struct {
	Text  string
	Style Style
}

// Column is the layout of a column.
type Column struct {
	Title string
	Right bool // right-aligned, for numbers
	Flex  bool // may shrink to Min cells when a line is too long
	Path  bool // cut at the beginning instead of the end
	Min   int
	Spare int // above 0: dropped, the highest first, where even the minima are too wide
}

// Table is rows of cells under titles, with two spaces between columns.
type Table struct {
	Columns []Column
	Rows    [][]Cell
	Width   int // width of a line where the output has none; 0 = unlimited
}

// Field is a column of a list of T, with what it shows of an item.
type Field[T any] struct {
	Column
	Cell func(item T) Cell
}

// TableOf is a table with a line for each item.
func TableOf[T any](fields []Field[T], items []T) *Table {
	t := &Table{Width: TableWidth}
	for _, f := range fields {
		t.Columns = append(t.Columns, f.Column)
	}
	for _, item := range items {
		cells := make([]Cell, len(fields))
		for i, f := range fields {
			cells[i] = f.Cell(item)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// NarrowTitle is the title of a column where lines may be short.
func NarrowTitle(narrow bool, short, long string) string {
	if narrow {
		return short
	}
	return long
}

// Count is the cell of a number, in style if it is not 0, else in the style none.
func Count(n int, style, none Style) Cell {
	c := Cell{Text: plain.Count(int64(n)), Style: none}
	if n > 0 {
		c.Style = style
	}
	return c
}

func (t *Table) Add(texts ...string) {
	row := make([]Cell, len(texts))
	for i, s := range texts {
		row[i].Text = s
	}
	t.Rows = append(t.Rows, row)
}

func (t *Table) AddCells(cells ...Cell) { t.Rows = append(t.Rows, cells) }

// Print writes the table, each line indented by so many spaces. Lines fit the terminal's width if
// the flexible and the spare columns allow it. A column that is empty in every row is left out
// with its title.
func (t *Table) Print(o *Out, indent int) error {
	widths := t.widths()
	total := o.Width()
	if total == 0 {
		total = t.Width
	} else {
		t.spare(widths, total-indent)
	}
	t.fit(widths, total-indent)
	var b strings.Builder
	if t.titled() {
		t.line(&b, o, indent, widths, func(i int) Cell { return Cell{t.Columns[i].Title, Dim} })
	}
	for _, row := range t.Rows {
		t.line(&b, o, indent, widths, func(i int) Cell {
			if i < len(row) {
				return row[i]
			}
			return Cell{}
		})
	}
	_, err := io.WriteString(o, b.String())
	return err
}

func (t *Table) titled() bool {
	for _, c := range t.Columns {
		if c.Title != "" {
			return true
		}
	}
	return false
}

// widths is the width of each column; 0 for a column without text in its rows.
func (t *Table) widths() []int {
	widths := make([]int, len(t.Columns))
	for _, row := range t.Rows {
		for i := range row {
			row[i].Text = plain.Line(row[i].Text)
			widths[i] = max(widths[i], plain.Width(row[i].Text))
		}
	}
	for i, c := range t.Columns {
		if widths[i] > 0 {
			widths[i] = max(widths[i], plain.Width(c.Title))
		}
	}
	return widths
}

// spare drops spare columns until a line with every flexible column at its minimum fits into
// total, or none is left.
func (t *Table) spare(widths []int, total int) {
	least := slices.Clone(widths)
	for i, c := range t.Columns {
		if c.Flex {
			least[i] = min(widths[i], max(c.Min, 1))
		}
	}
	for lineWidth(least) > total {
		out := -1
		for i, c := range t.Columns {
			if c.Spare > 0 && least[i] > 0 && (out < 0 || c.Spare > t.Columns[out].Spare) {
				out = i
			}
		}
		if out < 0 {
			return
		}
		widths[out], least[out] = 0, 0
	}
}

// fit narrows the widest flexible columns until a line fits into total, or all are at their
// minimum.
func (t *Table) fit(widths []int, total int) {
	if total <= 0 {
		return
	}
	for over := lineWidth(widths) - total; over > 0; over-- {
		widest := -1
		for i, c := range t.Columns {
			if c.Flex && widths[i] > max(c.Min, 1) && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
	}
}

func lineWidth(widths []int) int {
	n := 0
	for _, w := range widths {
		if w > 0 {
			n += w + 2
		}
	}
	return max(n-2, 0)
}

func (t *Table) line(b *strings.Builder, o *Out, indent int, widths []int, cell func(int) Cell) {
	b.WriteString(strings.Repeat(" ", indent))
	gap := 0 // pending spaces, written only before more text: no trailing blanks
	for i, c := range t.Columns {
		if widths[i] == 0 {
			continue
		}
		text := cell(i).Text
		if c.Path {
			text = plain.CutStart(text, widths[i])
		} else {
			text = plain.Cut(text, widths[i])
		}
		left := widths[i] - plain.Width(text)
		if c.Right {
			gap, left = gap+left, 0
		}
		if text != "" {
			b.WriteString(strings.Repeat(" ", gap))
			b.WriteString(o.Paint(cell(i).Style, text))
			gap = 0
		}
		gap += left + 2
	}
	b.WriteByte('\n')
}
