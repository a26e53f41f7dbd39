package home

// Secrets have the shapes of real tokens and are put together here, so that no file of ours holds one.
var secretShapes = []struct {
	prefix   string
	alphabet string
	length   int
}{
	{"gh" + "p_", "", 36},
	{"AK" + "IA", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16},
	{"glp" + "at-", "", 20},
	{"np" + "m_", "", 36},
	{"xo" + "xb-" + "123456789012-1234567890123-", "", 24},
	{"sk_" + "live_", "", 24},
}

// secret makes one and notes it, for a test to look for where it must not be.
func (m *maker) secret(r *random) string {
	s := pick(r, secretShapes)
	alphabet := s.alphabet
	if alphabet == "" {
		alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	}
	token := s.prefix + r.of(alphabet, s.length)
	m.truth.Secrets = append(m.truth.Secrets, token)
	return token
}
