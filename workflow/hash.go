package workflow

import "strconv"

// Hash is 16 hex digits that change with every change of the model. A stored state depends on it.
func (m *Model) Hash() string {
	h := hash(14695981039346656037) // FNV-1a, 64 bits
	h.number(uint64(len(m.Commands)))
	for i := range m.Commands {
		c := &m.Commands[i]
		h.text(c.Name)
		h.text(c.After)
		h.list(c.Outputs)
		h.number(uint64(c.Milestones))
	}
	h.number(uint64(len(m.Phases)))
	for i := range m.Phases {
		p := &m.Phases[i]
		h.text(p.Name)
		h.number(uint64(p.Timeout))
		h.flag(p.Optional)
		h.flag(p.TestsOnly)
		h.flag(p.FailingTest)
	}
	h.number(uint64(m.Timeout))
	h.list(m.Tests)
	h.list(m.Docs)
	h.list(m.TestCommands)
	digits := strconv.FormatUint(uint64(h), 16)
	return "0000000000000000"[len(digits):] + digits
}

type hash uint64

func (h *hash) byte(b byte) { *h = (*h ^ hash(b)) * 1099511628211 }

func (h *hash) number(n uint64) {
	for range 8 {
		h.byte(byte(n))
		n >>= 8
	}
}

func (h *hash) flag(b bool) {
	if b {
		h.byte(1)
	} else {
		h.byte(0)
	}
}

func (h *hash) text(s string) {
	h.number(uint64(len(s)))
	for i := range len(s) {
		h.byte(s[i])
	}
}

func (h *hash) list(texts []string) {
	h.number(uint64(len(texts)))
	for _, s := range texts {
		h.text(s)
	}
}
