package settings

import "strings"

// didYouMean is " (did you mean X?)" for the one of the words that a mistyped one probably meant or is the last part of, or "".
func didYouMean(word string, words []string) string {
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

// Nearest is the candidate that a mistyped key, command or other word probably meant: at most two of its letters, and a
// third of them, are wrong, missing, too many or swapped; "" when there is none.
func Nearest(word string, candidates []string) string {
	s := []rune(strings.ToLower(word))
	best, found := min(2, len(s)/3)+1, ""
	for _, c := range candidates {
		t := []rune(strings.ToLower(c))
		if max(len(s)-len(t), len(t)-len(s)) >= best {
			continue // a file can bring words of a megabyte
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
