package archive

import "encoding/binary"

// fields takes numbers and texts out of a row that holds many, one after the other: texts have their length before them,
// and are parts of the row. Once something is not what was written it is bad, and gives what is of no use.
type fields struct {
	rest string
	bad  bool
}

func (f *fields) number() int64 {
	u := f.unsigned()
	return int64(u>>1) ^ -int64(u&1)
}

func (f *fields) text() string { return f.bytes(f.unsigned()) }

func (f *fields) bytes(n uint64) string {
	if n > uint64(len(f.rest)) {
		f.bad = true
		n = 0
	}
	s := f.rest[:n]
	f.rest = f.rest[n:]
	return s
}

func (f *fields) unsigned() uint64 {
	n, size := binary.Uvarint([]byte(f.rest[:min(len(f.rest), binary.MaxVarintLen64)]))
	if size <= 0 {
		f.bad = true
		return 0
	}
	f.rest = f.rest[size:]
	return n
}
