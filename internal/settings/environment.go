package settings

// environment puts the ABURN_* variables over what the files say. Only known keys are looked up; those of the model
// are, when it is built.
func (s *Settings) environment(own string) {
	for _, key := range [...]string{
		keyRotate, keyKeep, keySync, keyLinger,
		keyChainOnStart, keyDesktop, keyBell, keyCommand, keyMin, keyAtStop, keyAgentEnd, keyForeign, keyExpires,
	} {
		text := s.env(variable(key))
		if text == "" {
			continue
		}
		if userOnly(key) {
			s.warn(variable(key) + ": " + key + " counts only in the user's own settings, " + own + ignored)
			continue
		}
		if wrong, _ := s.set(key, value{text: text, string: true, scalar: true}); wrong != "" {
			s.warn(variable(key) + ": " + key + " " + wrong + ignored)
		}
	}
}

// variable is the environment variable of a key: ABURN_LOG_ROTATE of log.rotate.
func variable(key string) string {
	name := append(make([]byte, 0, 64), "ABURN_"...)
	for i := range len(key) {
		switch c := key[i]; {
		case c == '.':
			name = append(name, '_')
		case 'a' <= c && c <= 'z':
			name = append(name, c-'a'+'A')
		default:
			name = append(name, c)
		}
	}
	return string(name)
}
