// Package plain says which characters of recorded text may be shown: to a person, on a terminal or a page, and to a model, in a
// hook's answer, over MCP, by chain and in templates. A model is shown a subset of what a person is shown.
//
// It also holds what follows from that: text as safe lines, its width in cells, its quoting for models, and numbers in words.
// The ranges are of Unicode 15.0.0. The tests compare them with the tables of the standard library, so a newer version of those
// fails where it adds a character that has to be listed.
//
// aburn-hook links it, so it imports only packages that the hook has anyway, and its tables are constants.
package plain

// Replacement stands for what is not shown, so that the reader sees that something stood there.
const Replacement = '\ufffd'

// A fate is what becomes of a character.
type fate uint8

const (
	shown   fate = iota
	dropped      // taken out for everybody: it only chooses between two forms of the character before it, as U+FE0F in an emoji
	joiner       // shown to a person, taken out for a model
	opaque       // shown to a person, replaced for a model
	hidden       // replaced for everybody
)

// span is a range of characters with one fate.
type span struct {
	lo, hi rune
	fate   fate
}

// spans is every character that is not shown to everybody, in order. A noncharacter at the end of a plane (U+xxFFFE, U+xxFFFF) is
// hidden and not listed. Without the joiners and the variation selectors, hidden is what Unicode calls Cc, Cf, Zl, Zp, Cs,
// Noncharacter_Code_Point and Default_Ignorable_Code_Point: it acts on the terminal or on the order of the text, or nobody sees it.
//
// What is dropped, and a joiner for a model, leaves its neighbours side by side: a secret that it stood in would come into being
// again. So scrub.Head takes all of these out before it searches, and a test there holds it to that.
var spans = [...]span{
	{0x0000, 0x001f, hidden}, // C0: act on a terminal. Line and Text allow some
	{0x007f, 0x009f, hidden}, // DEL and C1: U+009B begins an escape sequence
	{0x00ad, 0x00ad, hidden}, // soft hyphen: seen at the end of a line only
	{0x034f, 0x034f, hidden}, // combining grapheme joiner: never seen
	{0x0600, 0x0605, hidden}, // Arabic signs that enclose the digits behind them
	{0x061c, 0x061c, hidden}, // bidi: Arabic letter mark
	{0x06dd, 0x06dd, hidden}, // Arabic end of ayah, encloses what is behind it
	{0x070f, 0x070f, hidden}, // Syriac abbreviation mark, likewise
	{0x0890, 0x0891, hidden}, // Arabic pound and piastre marks, likewise
	{0x08e2, 0x08e2, hidden}, // Arabic disputed end of ayah, likewise
	{0x115f, 0x1160, hidden}, // Hangul fillers: letters that nobody sees
	{0x17b4, 0x17b5, hidden}, // Khmer inherent vowels: deprecated, never seen
	{0x180b, 0x180d, dropped},
	{0x180e, 0x180e, hidden}, // Mongolian vowel separator
	{0x180f, 0x180f, dropped},
	{0x200b, 0x200b, hidden}, // zero width space
	// Scripts (Persian, Hindi) and emoji of several parts are not themselves for a person without the joiners. A model reads the letters
	// and the two emoji just as well, and a row of joiners would be a channel that only it sees.
	{0x200c, 0x200d, joiner},
	{0x200e, 0x200f, hidden}, // bidi: marks
	{0x2028, 0x202e, hidden}, // line and paragraph separator, bidi: embeddings and overrides
	{0x2060, 0x206f, hidden}, // word joiner, invisible operators, bidi: isolates, deprecated format characters
	{0x2800, 0x2800, opaque}, // Braille blank: part of drawings, else a blank that nothing trims
	{0x3164, 0x3164, hidden}, // Hangul filler
	{0xd800, 0xdfff, hidden}, // surrogates
	{0xe000, 0xf8ff, opaque}, // private use: icons in a person's font, without meaning for a model
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

// Person is r as a person is shown it: r itself, Replacement, or -1 for nothing.
//
// Private use characters stay: fonts of terminals have icons there. Characters that are not assigned stay too: they show as a box,
// and an emoji of next year is one.
func Person(r rune) rune {
	switch fateOf(r) {
	case hidden:
		return Replacement
	case dropped:
		return -1
	}
	return r
}

// Model is r as a model is shown it: r itself, Replacement, or -1 for nothing. It is never more than Person shows.
func Model(r rune) rune {
	switch fateOf(r) {
	case shown:
		return r
	case dropped, joiner:
		return -1
	}
	return Replacement
}

// Control says whether r ends a line or acts on a terminal: Cc, Zl and Zp. It is the least that no stored line may hold, and never
// changes: stored traces were checked by it.
func Control(r rune) bool {
	return r < ' ' || 0x7f <= r && r <= 0x9f || r == 0x2028 || r == 0x2029
}
