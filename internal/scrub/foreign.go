package scrub

// foreign redacts the password that follows a word for it in another language, which ends at i: "la contraseña es X", "密码是X".
// Between them stand a few words without digits.
func (f *finder) foreign(start, i int) {
	s := f.text
	if setLetter.has(s[start]) && start > 0 && setLetter.has(s[start-1]) {
		return
	}
	for i < len(s) && setLetter.has(s[i-1]) && setLetter.has(s[i]) { // the word's ending
		i++
	}
	from := i
	for words := 0; i < len(s) && i < from+96 && words < 8; {
		if s[i] == '\n' && words > 0 {
			return
		}
		if s[i] < '!' || s[i] > '~' { // blanks, and letters that are not ASCII
			i++
			continue
		}
		end := i
		for end < len(s) && end-i < maxName*2 && s[end] >= '!' && s[end] <= '~' {
			end++
		}
		f.work += end - i
		start, stop := f.unmarked(i, end)
		for start < stop && (s[start] == ':' || s[start] == '=') {
			start, stop = f.unmarked(start+1, stop)
		}
		if start < stop {
			if v := s[start:stop]; hasDigit(v) {
				if isSaid(v, password, false) {
					f.add(start, stop, "password", rankName)
				}
				return
			}
			words++
		}
		i = end
	}
}

// isPasswordWord reports whether v is a label in another language, as translations have it: "password": "Mot de passe".
func isPasswordWord(v string) bool {
	if hasDigit(v) || len(v) > maxName {
		return false
	}
	for _, word := range [...]string{
		"contrase", "de passe", "passwort", "kennwort", "senha", "palavra", "sandi", "parola", "has\u0142o", "heslo", "salasana", "adgangskode",
		"jelsz", "senord",
		"ifre", "kh\u1ea9u", "\u043f\u0430\u0440\u043e\u043b", "\u041f\u0430\u0440\u043e\u043b", "\u5bc6\u7801", "\u5bc6\u78bc", "\u53e3\u4ee4",
		"\u30d1\u30b9\u30ef\u30fc\u30c9", "\u092a\u093e\u0938\u0935\u0930\u094d\u0921", "\u0643\u0644\u0645\u0629", "\u09aa\u09be\u09b8", "\u067e\u0627\u0633",
		"\u0631\u0645\u0632", "\ube44\ubc00\ubc88\ud638", "\uc554\ud638", "\u03ba\u03c9\u03b4", "\u05e1\u05d9\u05e1\u05de", "\u0e23\u0e2b\u0e31\u0e2a",
		"wachtwoord",
	} {
		if foldContains(v, word) {
			return true
		}
	}
	return false
}
