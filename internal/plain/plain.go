// Package plain says which characters of recorded text may be shown: to a person, on a terminal
// or a page, and to a model, in a hook's answer, over MCP, by chain and in templates. A model is
// shown a subset of what a person is shown.
//
// It also contains what follows from that: text as safe lines, its width in cells, quoting for
// models, and numbers in words. The ranges are of Unicode 15.0.0. The tests compare them with the
// tables of the standard library, so they fail if a newer Unicode adds a character that must be
// listed.
//
// aburn-hook links it, so it imports only packages that the hook has anyway, and its tables are
// constants.
package plain

// Replacement replaces a hidden character, so that the reader sees that there was one.
const Replacement = '\ufffd'

// A fate says how a character is shown.
type fate uint8

const (
	shown   fate = iota
	dropped      // removed for everybody: it only selects a form of the character before it, as U+FE0F in an emoji
	joiner       // shown to a person, removed for a model
	opaque       // shown to a person, replaced for a model
	hidden       // replaced for everybody
)

type span struct {
	lo, hi rune
	fate   fate
}

// spans lists, in order, every character that is not shown to everybody. Noncharacters at the end
// of a plane (U+xxFFFE, U+xxFFFF) are hidden and not listed. Without the joiners and the
// variation selectors, hidden is what Unicode calls Cc, Cf, Zl, Zp, Cs, Noncharacter_Code_Point
// and Default_Ignorable_Code_Point: it acts on the terminal or on the order of the text, or is
// invisible.
//
// Removing a character joins its neighbours. If it stood inside a secret, the secret would be
// whole again. So scrub.Head removes all of these before it searches, and a test of scrub checks
// that.
var spans = [...]span{
	{0x0000, 0x001f, hidden}, // C0: act on a terminal. Line and Text allow some
	{0x007f, 0x009f, hidden}, // DEL and C1: U+009B begins an escape sequence
	{0x00ad, 0x00ad, hidden}, // soft hyphen: visible only at the end of a line
	{0x034f, 0x034f, hidden}, // combining grapheme joiner: never visible
	{0x0600, 0x0605, hidden}, // Arabic signs that enclose the following digits
	{0x061c, 0x061c, hidden}, // bidi: Arabic letter mark
	{0x06dd, 0x06dd, hidden}, // Arabic end of ayah, encloses what follows
	{0x070f, 0x070f, hidden}, // Syriac abbreviation mark, likewise
	{0x0890, 0x0891, hidden}, // Arabic pound and piastre marks, likewise
	{0x08e2, 0x08e2, hidden}, // Arabic disputed end of ayah, likewise
	{0x115f, 0x1160, hidden}, // Hangul fillers: invisible letters
	{0x17b4, 0x17b5, hidden}, // Khmer inherent vowels: deprecated, never visible
	{0x180b, 0x180d, dropped},
	{0x180e, 0x180e, hidden}, // Mongolian vowel separator
	{0x180f, 0x180f, dropped},
	{0x200b, 0x200b, hidden}, // zero width space
	// For a person, scripts (Persian, Hindi) and emoji of several parts need the joiners. A model
	// reads the letters and the two emoji just as well, and a row of joiners would be a channel
	// that only the model sees.
	{0x200c, 0x200d, joiner},
	{0x200e, 0x200f, hidden}, // bidi: marks
	{0x2028, 0x202e, hidden}, // line and paragraph separator, bidi: embeddings and overrides
	{0x2060, 0x206f, hidden}, // word joiner, invisible operators, bidi: isolates, deprecated format characters
	{0x2800, 0x2800, opaque}, // Braille blank: part of drawings, otherwise a blank that nothing trims
	{0x3164, 0x3164, hidden}, // Hangul filler
	{0xd800, 0xdfff, hidden}, // surrogates
	{0xe000, 0xf8ff, opaque}, // private use: icons in a person's font, meaningless to a model
	{0xfdd0, 0xfdef, hidden}, // noncharacters
	{0xfe00, 0xfe0f, dropped},
	{0xfeff, 0xfeff, hidden}, // byte order mark
	{0xffa0, 0xffa0, hidden}, // halfwidth Hangul filler
	{0xfff0, 0xfffb, hidden}, // reserved as ignorable; interlinear annotation
	{0x110bd, 0x110bd, hidden},
	{0x110cd, 0x110cd, hidden}, // Kaithi number signs, enclose digits
	{0x13430, 0x1343f, hidden}, // Egyptian hieroglyph format controls
	{0x1bca0, 0x1bca3, hidden}, // shorthand format controls
	{0x1d159, 0x1d159, opaque}, // musical null notehead: as the Braille blank
	{0x1d173, 0x1d17a, hidden}, // musical format characters
	{0xe0000, 0xe00ff, hidden}, // tags: ASCII that only a model sees
	{0xe0100, 0xe01ef, dropped},
	{0xe01f0, 0xe0fff, hidden}, // reserved as ignorable
	{0xf0000, 0xffffd, opaque},
	{0x100000, 0x10fffd, opaque}, // private use
}

func fateOf(r rune) fate {
	switch {
	case ' ' <= r && r < 0x7f:
		return shown
	case r < 0 || r > 0x10ffff || r&0xfffe == 0xfffe:
		return hidden
	}
	lo, hi := 0, len(spans)
	for lo < hi {
		if mid := (lo + hi) / 2; r > spans[mid].hi {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(spans) && r >= spans[lo].lo {
		return spans[lo].fate
	}
	return shown
}

// Person returns r as a person is shown it: r itself, Replacement, or -1 for nothing.
//
// Private use characters stay, because terminal fonts have icons there. Unassigned characters
// stay too: they show as a box, and next year's emoji is one.
func Person(r rune) rune {
	switch fateOf(r) {
	case hidden:
		return Replacement
	case dropped:
		return -1
	}
	return r
}

// Model returns r as a model is shown it: r itself, Replacement, or -1 for nothing. A model is
// shown no character that Person hides.
func Model(r rune) rune {
	switch fateOf(r) {
	case shown:
		return r
	case dropped, joiner:
		return -1
	}
	return Replacement
}

// Control reports whether r ends a line or acts on a terminal: Cc, Zl and Zp. No stored line may
// contain these. The set never changes, because stored traces were checked with it.
func Control(r rune) bool {
	return r < ' ' || 0x7f <= r && r <= 0x9f || r == 0x2028 || r == 0x2029
}
