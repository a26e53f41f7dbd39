package scrub

import (
	"slices"
	"strings"
	"unicode/utf8"
)

type span struct {
	start, end int // in bytes
	rule       string
	rank       int // names the union of overlapping spans: the higher rank wins
}

// The ranks: the more precisely a rule knows the secret, the higher.
const (
	rankPlace = iota // it stands where secrets stand
	rankName         // the name before it says so
	rankToken        // it looks like one
)

// find returns the secrets of s in order, without overlaps.
func find(s string) []span { return unite(s, findIn(s, 0)) }

// findIn returns the secrets of s, which layer runs of base64 or hex surround.
func findIn(s string, layer int) []span {
	f := finder{text: s}
	f.scan()
	if layer < maxLayers {
		f.encoded(layer)
	}
	if nextEscape(s, 0) < len(s) {
		return append(f.spans, findEscaped(s, layer)...)
	}
	return f.spans
}

// findEscaped returns the secrets that appear once escapes in s are decoded.
func findEscaped(s string, layer int) (spans []span) {
	first := plainView(s)
	v, ok := first.decoded()
	for ok {
		f := finder{text: v.text}
		f.scan()
		if layer < maxLayers {
			f.encoded(layer)
		}
		for _, sp := range f.spans {
			sp.start, sp.end = v.source(sp.start), v.source(sp.end)
			spans = append(spans, sp)
		}
		of := v
		v, ok = of.decoded()
	}
	return spans
}

// unite merges spans that overlap or touch a marker in the text, and drops spans that contain
// only a marker.
func unite(s string, spans []span) []span {
	if len(spans) == 0 {
		return nil
	}
	for i := range spans {
		sp := &spans[i]
		sp.keepMarkers(s)
		for sp.end < len(s) && !utf8.RuneStart(s[sp.end]) { // a value longer than the searched part
			sp.end++
		}
	}
	spans = slices.DeleteFunc(spans, func(sp span) bool { return sp.start >= sp.end })
	slices.SortFunc(spans, func(a, b span) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	out := spans[:0]
	for _, sp := range spans {
		if n := len(out); n > 0 && sp.start < out[n-1].end {
			last := &out[n-1]
			last.end = max(last.end, sp.end)
			if sp.rank > last.rank {
				last.rule, last.rank = sp.rule, sp.rank
			}
			continue
		}
		out = append(out, sp)
	}
	return out
}

// keepMarkers moves a span's ends off the markers in s. A secret beside a marker is redacted by
// itself, and no marker is cut.
func (sp *span) keepMarkers(s string) {
	from := max(0, sp.start-MaxMarker)
	for i := strings.Index(s[from:sp.end], markOpen); i >= 0; {
		start := from + i
		end := start + markerLen(s[start:])
		switch {
		case end == start: // not a marker
			end++
		case start <= sp.start && sp.start < end:
			sp.start = end
		case start < sp.end && sp.end <= end:
			sp.end = start
		}
		from = end
		if from >= sp.end {
			break
		}
		i = strings.Index(s[from:sp.end], markOpen)
	}
	for sp.start < sp.end {
		i := strings.LastIndex(s[sp.start:sp.end], markOpen)
		if i < 0 || markerLen(s[sp.start+i:]) != sp.end-sp.start-i {
			return
		}
		sp.end = sp.start + i
	}
}

// markerLen is the length of the marker that s begins with, or 0.
func markerLen(s string) int {
	if !strings.HasPrefix(s, markOpen) {
		return 0
	}
	i := len(markOpen)
	for i < len(s) && i < MaxMarker && (sets[s[i]]&setLower|sets[s[i]]&setDigit != 0 || s[i] == '-') {
		i++
	}
	if i == len(markOpen) || i >= len(s) || s[i] != ']' {
		return 0
	}
	return i + 1
}
