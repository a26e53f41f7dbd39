package plain

import "strings"

// Suggest returns " (did you mean X?)" or "". X is what a mistyped word probably meant, or a
// key whose last part the word is.
func Suggest(word string, words []string) string {
	near := Nearest(word, words)
	for _, w := range words {
		if _, last, _ := strings.Cut(w, "."); near == "" && last != "" && strings.EqualFold(word, last) {
			near = w
		}
	}
	if near == "" {
		return ""
	}
	return " (did you mean " + near + "?)"
}

// Nearest returns the candidate that a mistyped word probably meant, or "". At most two of the
// word's letters, and at most a third of them, may be wrong, missing, extra or swapped.
func Nearest(word string, candidates []string) string {
	s := []rune(strings.ToLower(word))
	best, found := min(2, len(s)/3)+1, ""
	for _, c := range candidates {
		t := []rune(strings.ToLower(c))
		if max(len(s)-len(t), len(t)-len(s)) >= best {
			continue // a file can contain words of a megabyte
		}
		if d := editDistance(s, t); d < best {
			best, found = d, c
		}
	}
	return found
}

// editDistance counts insertions, deletions, replacements and swaps of neighbours.
func editDistance(s, t []rune) int {
	rows := make([][]int, len(s)+1)
	for i := range rows {
		rows[i] = make([]int, len(t)+1)
		rows[i][0] = i
	}
	for j := range t {
		rows[0][j+1] = j + 1
	}
	for i := range s {
		for j := range t {
			cost := 1
			if s[i] == t[j] {
				cost = 0
			}
			d := min(rows[i][j]+cost, rows[i][j+1]+1, rows[i+1][j]+1)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				d = min(d, rows[i-1][j-1]+1)
			}
			rows[i+1][j+1] = d
		}
	}
	return rows[len(s)][len(t)]
}
