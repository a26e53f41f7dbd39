package logfmt

// Parser parses a log line by line. It exploits the similarity of lines and allocates little. The
// zero value is ready; use it from one goroutine.
type Parser struct {
	shapes shapes
	known  [256]string // recent texts: commands, sessions and sources recur
}

// Header is h.Read(line).
func (p *Parser) Header(line []byte, h *Header) bool { return h.read(line, &p.shapes) }

// Parse is the function Parse into e. e's Data is reused, so copy it to keep it. After an error e
// is undefined.
func (p *Parser) Parse(line []byte, e *Entry) error {
	var o ownLine
	if !o.read(line, &p.shapes) {
		var err error
		*e, err = Parse(line)
		return err
	}
	data := e.Data[:0]
	*e = o.entry(p.text)
	if o.data != nil {
		e.Data = append(data, o.data...)
	}
	return nil
}

// text is string(b), without an allocation if b is a recent text.
func (p *Parser) text(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	// Sessions differ in their last characters, other texts in length or either end.
	h := uint32(len(b)) + uint32(b[0])<<8 + uint32(b[len(b)-1])<<16 + uint32(b[len(b)/2])<<24
	if len(b) > 1 {
		h ^= uint32(b[len(b)-2]) << 4
	}
	s := &p.known[h*0x9e3779b1>>24]
	if *s != string(b) {
		*s = string(b)
	}
	return *s
}
