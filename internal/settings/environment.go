package settings

// environment puts the ABURN_* variables over what the files say. Only known keys are looked up; those of the model
// are, when it is built.
func (s *Settings) environment(own string) {
	for _, v := range variables() {
		text := s.env(v.name)
		if text == "" {
			continue
		}
		if userOnly(v.key) {
			s.warn(v.name + ": " + v.key + " counts only in the user's own settings, " + own + ignored)
			continue
		}
		if wrong, _ := s.set(v.key, value{text: text, string: true, scalar: true}); wrong != "" {
			s.warn(v.name + ": " + v.key + " " + wrong + ignored)
		}
	}
}

// variables are the keys that are not the model's, each with what variable makes of it: a hook looks them all up.
func variables() [16]struct{ key, name string } {
	return [...]struct{ key, name string }{
		{keyRotate, "ABURN_LOG_ROTATE"}, {keyKeep, "ABURN_LOG_KEEP"}, {keySync, "ABURN_LOG_SYNC"}, {keyLinger, "ABURN_WATCH_LINGER"},
		{keyChainOnStart, "ABURN_INJECT_CHAIN_ON_START"}, {keyDesktop, "ABURN_NOTIFY_DESKTOP"}, {keyBell, "ABURN_NOTIFY_BELL"},
		{keyCommand, "ABURN_NOTIFY_COMMAND"}, {keyMin, "ABURN_NOTIFY_MIN"}, {keyAtStop, "ABURN_DELIVER_AT_STOP"},
		{keyAgentEnd, "ABURN_DELIVER_AGENT_END"}, {keyForeign, "ABURN_QUEUE_FOREIGN"}, {keyExpires, "ABURN_QUEUE_EXPIRES"},
		{keyAtSessionEnd, "ABURN_ARCHIVE_AT_SESSION_END"}, {keyRetention, "ABURN_ARCHIVE_RETENTION"}, {keyRules, "ABURN_REMEDY_RULES"},
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
