package proc

import "testing"

func TestParse(t *testing.T) {
	for line, want := range map[string]bool{
		"":               false,
		"7 (a":           false,
		"7 (a) b":        false,
		"7 )a( S 1 2 3 ": false,
		"7 (a) (b)) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 99 1 2": true,
		"7 (a)  S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 99 1 2":     true,
		"7 (a) S  1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 99 1 2":     false,
		"7 (a) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 99":          false,
		"7 (a) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 x 1":         false,
		"7 (a) S x 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 99 1 2":      false,
	} {
		s, ok := parse(7, []byte(line))
		if ok != want || ok && (s.Start != 99 || s.name != "a) (b)" && s.name != "a" || s.parent != 1) {
			t.Errorf("%q: %+v, %v", line, s, ok)
		}
	}
}
