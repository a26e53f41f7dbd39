package archive

import (
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"
)

// texts is memory for the texts of many rows: one allocation for each takes as long as reading it.
type texts struct {
	text  strings.Builder
	one   []byte
	words map[string]string
}

// The memory is taken in parts, of which each is twice as large as the one before, from the first size to the last.
const firstTexts, lastTexts = 4 << 10, 256 << 10

// column is the bytes of a column as a text.
func (t *texts) column(s *sqlite.Stmt, column int) string {
	one := t.read(s, column)
	if len(one) > t.text.Cap()-t.text.Len() {
		size := min(max(2*t.text.Cap(), firstTexts), lastTexts)
		t.text = strings.Builder{}
		t.text.Grow(max(len(one), size))
	}
	at := t.text.Len()
	t.text.Write(one)
	return t.text.String()[at:]
}

// word is column for what has few values: equal ones are one text.
func (t *texts) word(s *sqlite.Stmt, column int) string {
	one := t.read(s, column)
	word, known := t.words[string(one)]
	if !known {
		if t.words == nil {
			t.words = map[string]string{}
		}
		word = string(one)
		t.words[word] = word
	}
	return word
}

func (t *texts) read(s *sqlite.Stmt, column int) []byte {
	n := s.ColumnLen(column)
	if n == 0 {
		return nil
	}
	t.one = slices.Grow(t.one[:0], n)[:n]
	return t.one[:s.ColumnBytes(column, t.one)]
}
