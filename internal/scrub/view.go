package scrub

// view is a text with its escapes decoded, and where each byte of it comes from. The first one is the text itself.
type view struct {
	text  string
	at    []int // at[i] is the offset in the original of byte i, at[len(text)] its length; nil when they are equal
	depth int
}

// maxDepth is how many layers of escapes are decoded: JSON in a URL in JSON.
const maxDepth = 4

func plainView(s string) view { return view{text: s} }

// source is the offset in the original text of offset i.
func (v *view) source(i int) int {
	if v.at == nil {
		return i
	}
	return v.at[i]
}

// decoded is the next view, with one layer of escapes less; false when there are none.
func (v *view) decoded() (view, bool) {
	if v.depth == maxDepth {
		return view{}, false
	}
	s := v.text
	i := nextEscape(s, 0)
	if i == len(s) {
		return view{}, false
	}
	out := view{depth: v.depth + 1, at: make([]int, 0, len(s)+1)}
	text := make([]byte, 0, len(s))
	for i = 0; i < len(s); {
		b, n := unescape(s[i:])
		end := i + n
		if n == 1 {
			end = afterRun(s, i)
		}
		text = append(text, b)
		out.at = append(out.at, v.source(i))
		for i += n; i < end; i++ {
			text = append(text, b)
			out.at = append(out.at, v.source(i))
		}
	}
	out.at = append(out.at, v.source(len(s)))
	out.text = string(text)
	return out, true
}

// nextEscape is the offset of the first escape from i on, len(s) when there is none.
func nextEscape(s string, i int) int {
	for ; i < len(s); i++ {
		if s[i] == '\\' || s[i] == '%' {
			if _, n := unescape(s[i:]); n > 1 {
				return i
			}
			i = afterRun(s, i) - 1
		}
	}
	return len(s)
}

// afterRun is the offset after the byte at i, or after the backslashes that begin there: when they all together are no
// escape, the last few of them are none either, and need not be looked at each on its own.
func afterRun(s string, i int) int {
	end := i + 1
	for s[i] == '\\' && end < len(s) && s[end] == '\\' {
		end++
	}
	return end
}

// unescape is the byte that s begins with when its escape is decoded, and how many bytes it takes. Any number of
// backslashes counts as one, as text in JSON in JSON has them. What stands for no ASCII character stays as it is.
func unescape(s string) (byte, int) {
	switch s[0] {
	case '%':
		if b, ok := hexByte(s, 1); ok {
			return b, 3
		}
	case '\\':
		n := 1
		for n < len(s) && s[n] == '\\' {
			n++
		}
		if b, size := backslashed(s[n:]); size > 0 {
			return b, n + size
		}
	}
	return s[0], 1
}

// backslashed is the byte that the letters after backslashes stand for, and how many letters that takes; 0 when none.
func backslashed(s string) (byte, int) {
	if s == "" {
		return 0, 0
	}
	switch s[0] {
	case '"', '\'', '`', '/', '=', '&':
		return s[0], 1
	case 'n', 'r':
		return '\n', 1
	case 't', '\n':
		return ' ', 1
	case 'x':
		if b, ok := hexByte(s, 1); ok {
			return b, 3
		}
	case 'u':
		if len(s) >= 5 && s[1] == '0' && s[2] == '0' {
			if b, ok := hexByte(s, 3); ok {
				return b, 5
			}
		}
	}
	return 0, 0
}

// hexByte is the printable ASCII character whose code stands as two hex digits at i.
func hexByte(s string, i int) (byte, bool) {
	if len(s) < i+2 {
		return 0, false
	}
	hi, lo := hexDigit(s[i]), hexDigit(s[i+1])
	b := byte(hi<<4 | lo)
	return b, hi|lo >= 0 && (b >= ' ' && b < 0x7f || b == '\n')
}

func hexDigit(b byte) int {
	switch {
	case '0' <= b && b <= '9':
		return int(b - '0')
	case 'a' <= fold(b) && fold(b) <= 'f':
		return int(fold(b)-'a') + 10
	}
	return -1
}
