package supervisor

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"slices"

	"aburn/workflow"
)

// ErrState says that bytes are no State of this version and model.
var ErrState = errors.New("not a state of this version and model")

// stateVersion changes with everything that codec_state.go says, and with what the
// fold makes of an entry.
const stateVersion = 1

// AppendJSON appends the State as one JSON object. Two States are the same if and
// only if these bytes are.
func (s *State) AppendJSON(dst []byte) []byte {
	c := writer(dst)
	s.document(c)
	return c.out
}

// Load reads what AppendJSON wrote. ErrState means: fold again.
func Load(data []byte, model *workflow.Model) (*State, error) {
	s := New(model)
	c := reader(data)
	s.document(c)
	if c.broken || c.i != len(data) {
		return nil, ErrState
	}
	return s, nil
}

// document is the State with what tells whether it is of use.
func (s *State) document(c *codec) {
	c.begin('{')
	if s.fold.hash == "" {
		s.fold.hash = s.model.Hash()
	}
	version, model := int64(stateVersion), s.fold.hash
	if c.reading {
		version, model = 0, ""
	}
	c.int64("version", &version)
	c.str("model", &model)
	if version != stateVersion || model != s.fold.hash {
		c.broken = true
		return
	}
	s.state(c)
	s.fold.ids(c)
	c.end('}')
}

// idChunk is how many ids are coded at once: 8 bytes each, and three bytes are four
// characters without a rest.
const idChunk = 384

// ids are the ids of the newest entries.
func (f *folder) ids(c *codec) {
	if !c.key("seen") {
		c.broken = true
		return
	}
	if c.reading {
		text, _ := c.quoted()
		f.readIDs(c, text)
		return
	}
	var raw [8 * idChunk]byte
	c.out = append(c.out, '"')
	for ids := range slices.Chunk(f.seen.AppendIDs(nil), idChunk) {
		for i, id := range ids {
			binary.BigEndian.PutUint64(raw[8*i:], id)
		}
		c.out = base64.RawStdEncoding.AppendEncode(c.out, raw[:8*len(ids)])
	}
	c.out = append(c.out, '"')
}

func (f *folder) readIDs(c *codec, text []byte) {
	var raw [8 * idChunk]byte
	ids := make([]uint64, 0, len(text)*3/4/8)
	for chunk := range slices.Chunk(text, len(raw)/3*4) {
		n, err := base64.RawStdEncoding.Decode(raw[:], chunk)
		if err != nil || n%8 != 0 {
			c.broken = true
			return
		}
		for i := 0; i < n; i += 8 {
			ids = append(ids, binary.BigEndian.Uint64(raw[i:]))
		}
	}
	f.seen.Restore(ids)
}
