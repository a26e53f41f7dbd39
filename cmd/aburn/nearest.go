package main

import "aburn/internal/settings"

// nearest finds mistyped words for hints; a mistyped setting is found in the same way.
func nearest(word string, candidates []string) string { return settings.Nearest(word, candidates) }
