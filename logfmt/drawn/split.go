package drawn

import (
	"fmt"
	"strconv"
	"strings"
)

// split splits a drawing into words, and repeats what is in braces.
func split(drawing string) ([]string, error) {
	var words []string
	var open []int // indices in words of the open braces
	for rest := drawing; ; {
		word, more, err := nextWord(rest)
		if err != nil {
			return nil, err
		}
		if word == "" {
			break
		}
		rest = more
		times, closes := strings.CutPrefix(word, "}*")
		switch {
		case word == "{":
			open = append(open, len(words))
		case !closes:
			words = append(words, word)
		case len(open) == 0:
			return nil, fmt.Errorf("%s closes nothing", word)
		default:
			n, err := strconv.Atoi(times)
			if err != nil || n < 0 {
				return nil, fmt.Errorf("what is %q?", word)
			}
			at := open[len(open)-1]
			open = open[:len(open)-1]
			group := append([]string(nil), words[at:]...)
			words = words[:at]
			for range n {
				words = append(words, group...)
			}
		}
	}
	if len(open) > 0 {
		return nil, fmt.Errorf("a { is never closed")
	}
	return words, nil
}

// nextWord is the first word of s and what follows it.
func nextWord(s string) (word, rest string, err error) {
	for {
		s = strings.TrimLeft(s, " \t\n\r")
		if !strings.HasPrefix(s, "//") {
			break
		}
		_, s, _ = strings.Cut(s, "\n")
	}
	quoted := false
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\'':
			quoted = !quoted
		case ' ', '\t', '\n', '\r':
			if !quoted {
				return s[:i], s[i:], nil
			}
		}
	}
	if quoted {
		return "", "", fmt.Errorf("a quote is never closed: %.40s", s)
	}
	return s, "", nil
}

// quote takes 'text' off the beginning of s.
func quote(s string) (text, rest string, ok bool) {
	if !strings.HasPrefix(s, "'") {
		return "", s, false
	}
	return strings.Cut(s[1:], "'")
}
