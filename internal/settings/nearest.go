package settings

import "strings"

// didYouMean is " (did you mean X?)" for the one of the words that a mistyped one probably meant, or "": all but two
// letters agree from both ends, or it is the last part of one.
func didYouMean(word string, words []string) string {
	for _, w := range words {
		_, last, _ := strings.Cut(w, ".")
		if last != "" && strings.EqualFold(word, last) || similar(strings.ToLower(word), strings.ToLower(w)) {
			return " (did you mean " + w + "?)"
		}
	}
	return ""
}

// similar is false for words of which nothing is left without the letters that differ.
func similar(a, b string) bool {
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return head+tail > 0 && max(len(a), len(b))-head-tail <= 2
}
