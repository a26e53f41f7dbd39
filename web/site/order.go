package site

import (
	"cmp"
	"slices"
	"strings"

	"aburn/web/pages"
)

// column is a column of a table, with the order that it gives to the rows. With neither number nor text it gives none.
type column[T any] struct {
	name        string // in addresses
	head, class string
	number      func(T) (n float64, known bool) // the greatest first
	text        func(T) string                  // by the alphabet; "" is unknown
	bars        bool
}

// compare compares two rows. Unknown values come last, also when back turns the order round.
func (c *column[T]) compare(a, b T, back bool) int {
	turn := func(n int) int {
		if back {
			return -n
		}
		return n
	}
	if c.number != nil {
		x, known := c.number(a)
		y, other := c.number(b)
		if !known || !other {
			return cmp.Compare(rank(known), rank(other))
		}
		return turn(cmp.Compare(y, x))
	}
	x, y := strings.ToLower(c.text(a)), strings.ToLower(c.text(b))
	if x == "" || y == "" {
		return cmp.Compare(rank(x != ""), rank(y != ""))
	}
	return turn(strings.Compare(x, y))
}

func rank(known bool) int {
	if known {
		return 0
	}
	return 1
}

// arrange sorts a list by the column that an address names, "-" before it for the other way round, and makes the table's heads, whose
// addresses sort by each column. usual names the order that the list has already: it is kept where at names no column, and among equals.
func arrange[T any](list []T, columns []column[T], at, usual string, address func(sort string) string) []pages.Head {
	if name := strings.TrimPrefix(at, "-"); !slices.ContainsFunc(columns, func(c column[T]) bool { return c.ordered() && c.name == name }) {
		at = usual
	}
	var heads []pages.Head
	for i := range columns {
		c := &columns[i]
		one := pages.Head{Text: c.head, Class: c.class, Bars: c.bars}
		if c.ordered() {
			next := c.name
			if strings.TrimPrefix(at, "-") == c.name {
				back := at != c.name
				one.Order = map[bool]string{true: "ascending", false: "descending"}[back == (c.number != nil)]
				if at != usual {
					slices.SortStableFunc(list, func(a, b T) int { return c.compare(a, b, back) })
				}
				if !back {
					next = "-" + c.name
				}
			}
			one.Href = address(next)
		}
		heads = append(heads, one)
	}
	return heads
}

func (c *column[T]) ordered() bool { return c.number != nil || c.text != nil }

// sortOf is the part of an address's sort that is about one of a page's tables.
func sortOf(sort, table string) string {
	if back, ok := strings.CutPrefix(sort, "-"+table+"."); ok {
		return "-" + back
	}
	name, ok := strings.CutPrefix(sort, table+".")
	if !ok {
		return ""
	}
	return name
}

// sortIn is a sort of one of a page's tables, as it stands in an address.
func sortIn(table, sort string) string {
	if name, back := strings.CutPrefix(sort, "-"); back {
		return "-" + table + "." + name
	}
	return table + "." + sort
}
