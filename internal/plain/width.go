package plain

import (
	"strings"
	"unicode"
)

// Width is the number of cells that s takes on a screen. s must contain no escape sequences.
func Width(s string) int {
	n := 0
	for _, r := range s {
		n += RuneWidth(r)
	}
	return n
}

// RuneWidth is 0 for combining marks and format characters, 2 for wide East Asian characters and emoji, otherwise 1. It
// is an estimate: terminals differ about emoji sequences.
func RuneWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case wide(r), strings.ContainsRune(pictures, r):
		return 2
	}
	return 1
}

// pictures are those of the older symbols that are drawn as emoji by themselves.
const pictures = "⌚⌛⏩⏪⏫⏬⏰⏳◽◾☔☕⚡⛔✅✊✋✨❌❎❓❔❕❗➕➖➗➰⭐⭕"

func wide(r rune) bool {
	switch {
	case r < 0x1100:
		return false
	case r <= 0x115f, r >= 0x2e80 && r <= 0x303e, r >= 0x3041 && r <= 0xa4cf,
		r >= 0xac00 && r <= 0xd7a3, r >= 0xf900 && r <= 0xfaff,
		r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60,
		r >= 0xffe0 && r <= 0xffe6, r >= 0x1f300 && r <= 0x1f64f,
		r >= 0x1f680 && r <= 0x1f6ff, r >= 0x1f900 && r <= 0x1f9ff,
		r >= 0x20000 && r <= 0x3fffd:
		return true
	}
	return false
}

// Cut shortens s to at most n cells, ending in … if anything was left out.
func Cut(s string, n int) string {
	if n <= 0 {
		return ""
	}
	if len(s) <= n || Width(s) <= n {
		return s
	}
	used := 0
	for i, r := range s {
		w := RuneWidth(r)
		if used+w > n-1 {
			return s[:i] + "…"
		}
		used += w
	}
	return s
}

// CutStart is Cut at the beginning, for paths, which differ in their last part.
func CutStart(s string, n int) string {
	if n <= 0 {
		return ""
	}
	total := Width(s)
	if total <= n {
		return s
	}
	for i, r := range s {
		if total <= n-1 {
			return "…" + s[i:]
		}
		total -= RuneWidth(r)
	}
	return "…"
}

// Pad adds spaces on the right up to n cells.
func Pad(s string, n int) string {
	if gap := n - Width(s); gap > 0 {
		return s + strings.Repeat(" ", gap)
	}
	return s
}

// PadLeft adds spaces on the left up to n cells.
func PadLeft(s string, n int) string {
	if gap := n - Width(s); gap > 0 {
		return strings.Repeat(" ", gap) + s
	}
	return s
}
