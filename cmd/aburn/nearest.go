package main

import (
	"aburn/internal/settings"
	"slices"
	"strings"
)

// maxNamed is how many names are listed where there are too many.
const maxNamed = 8

// nearest finds mistyped words for hints; a mistyped setting is found in the same way.
func nearest(word string, candidates []string) string { return settings.Nearest(word, candidates) }

func asWords[T ~string](list ...T) []string {
	var names []string
	for _, w := range list {
		names = append(names, string(w))
	}
	return names
}

// meant is the hint for a word that is none of those that there are: the nearest one, else which there are.
func meant(word string, words []string) []string {
	if near := nearest(word, words); near != "" {
		return []string{"did you mean " + near + "?"}
	}
	switch {
	case len(words) == 0:
		return nil
	case len(words) > maxNamed:
		words = append(slices.Clone(words[:maxNamed]), "…")
	}
	return []string{"one of " + strings.Join(words, ", ")}
}
