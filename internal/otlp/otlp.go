// Package otlp writes and reads protobuf messages by hand, as OTLP needs them. It
// knows wire types and no field numbers: those stand where spans are built and read.
// The product links neither the generated types nor google.golang.org/protobuf, which
// reads its own executable at init; tests compare with both.
package otlp

import (
	"encoding/binary"
	"errors"
	"time"
)

// The wire types of protobuf.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

// Message is a protobuf message in wire form.
type Message []byte

func (m *Message) tag(n, wire uint64) { *m = binary.AppendUvarint(*m, n<<3|wire) }

// Bytes writes a field unless it is empty, as proto3 does.
func (m *Message) Bytes(n uint64, b []byte) {
	if len(b) > 0 {
		m.Sub(n, b)
	}
}

// Str writes a text unless it is empty, as proto3 does.
func (m *Message) Str(n uint64, s string) {
	if s != "" {
		m.tag(n, wireBytes)
		*m = append(binary.AppendUvarint(*m, uint64(len(s))), s...)
	}
}

// Num writes zeros, too: for required numbers, and for members of a oneof.
func (m *Message) Num(n, v uint64) {
	m.tag(n, wireVarint)
	*m = binary.AppendUvarint(*m, v)
}

// Fixed writes 64 bits, zeros too.
func (m *Message) Fixed(n, v uint64) {
	m.tag(n, wireFixed64)
	*m = binary.LittleEndian.AppendUint64(*m, v)
}

// Time writes nanoseconds since 1970.
func (m *Message) Time(n uint64, t time.Time) { m.Fixed(n, uint64(t.UnixNano())) }

// Sub writes a nested message, even an empty one, or an empty text of a oneof.
func (m *Message) Sub(n uint64, inner []byte) {
	m.tag(n, wireBytes)
	*m = append(binary.AppendUvarint(*m, uint64(len(inner))), inner...)
}

// ErrWire says that bytes are no protobuf message.
var ErrWire = errors.New("no protobuf message")

// Field is a field of a message: V of numbers, Data of what has a length.
type Field struct {
	N    uint64
	V    uint64
	Data []byte
	wire uint64
}

// Each calls do for the fields of a message, in their order, until it fails. The error
// is ErrWire where the message is malformed, or that of do.
func Each(msg []byte, do func(f Field) error) error {
	for len(msg) > 0 {
		tag, size := binary.Uvarint(msg)
		if size <= 0 || tag>>3 == 0 {
			return ErrWire
		}
		msg = msg[size:]
		f := Field{N: tag >> 3, wire: tag & 7}
		skip := 0
		switch f.wire {
		case wireVarint:
			if f.V, skip = binary.Uvarint(msg); skip <= 0 {
				return ErrWire
			}
		case wireFixed64:
			if skip = 8; len(msg) >= skip {
				f.V = binary.LittleEndian.Uint64(msg)
			}
		case wireBytes:
			length, size := binary.Uvarint(msg)
			if size <= 0 || length > uint64(len(msg)-size) {
				return ErrWire
			}
			skip = size + int(length)
			f.Data = msg[size:skip]
		case wireFixed32:
			skip = 4
		default:
			return ErrWire
		}
		if skip > len(msg) {
			return ErrWire
		}
		msg = msg[skip:]
		if err := do(f); err != nil {
			return err
		}
	}
	return nil
}

// Inside calls do for the fields of the message that f holds.
func (f Field) Inside(do func(f Field) error) error {
	if f.wire != wireBytes {
		return ErrWire
	}
	return Each(f.Data, do)
}
