package kit

import (
	"aburn/internal/settings"
	"slices"
	"strings"
)

// MaxNamed is how many names are listed where there are too many.
const MaxNamed = 8

// Nearest finds mistyped words for hints; a mistyped setting is found in the same way.
func Nearest(word string, candidates []string) string { return settings.Nearest(word, candidates) }

func AsWords[T ~string](list ...T) []string {
	var names []string
	for _, w := range list {
		names = append(names, string(w))
	}
	return names
}

// Meant is the hint for a word that is none of those that there are: the nearest one, else which there are.
func Meant(word string, words []string) []string {
	if near := Nearest(word, words); near != "" {
		return []string{"did you mean " + near + "?"}
	}
	switch {
	case len(words) == 0:
		return nil
	case len(words) > MaxNamed:
		words = append(slices.Clone(words[:MaxNamed]), "…")
	}
	return []string{"one of " + strings.Join(words, ", ")}
}
