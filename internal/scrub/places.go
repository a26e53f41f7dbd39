package scrub

import "strings"

// header redacts the value of Authorization or Proxy-Authorization, whose name ends at end.
func (f *finder) header(i, end int) {
	s := f.text
	outer := byte(0) // the quote around the whole header: -H 'Authorization: …'
	if i > 0 && isQuote(s[i-1]) && end < len(s) && s[end] != s[i-1] {
		outer = s[i-1]
	}
	for end < len(s) && (isQuote(s[end]) || isBlank(s[end]) || s[end] == ']') {
		end++
	}
	if end < len(s) && isQuote(s[end-1]) && isBlank(s[end-2]) { // proxy_set_header Authorization "Basic …"
		f.credentials(end, headerEnd(s, end, s[end-1]), "authorization")
		return
	}
	if end == len(s) || s[end] != ':' && s[end] != '=' && s[end] != ',' {
		return
	}
	start := skipBlanks(s, end+1, 8)
	start += len(s[start:]) - len(strings.TrimLeft(s[start:], ">[("))
	start = skipBlanks(s, start, 8)
	if start < len(s) && isQuote(s[start]) {
		outer = s[start]
		start++
	}
	f.credentials(start, headerEnd(s, start, outer), "authorization")
}

// headerEnd is the end of a header's value: the quote around it, or the end of the line.
func headerEnd(s string, i int, outer byte) int {
	for limit := min(len(s), i+maxValue); i < limit; i++ {
		if s[i] == '\n' || s[i] == '\r' || s[i] == '\\' || s[i] == outer && outer != 0 || outer == 0 && isQuote(s[i]) {
			return i
		}
	}
	return min(i, len(s))
}

// credentials redacts what follows the scheme in a header's s[start:end], or all of it without a
// scheme.
func (f *finder) credentials(start, end int, rule string) {
	f.work += end - start
	v := f.text[start:end]
	word := v[:len(v)-len(strings.TrimLeft(v, schemeBytes))]
	rest := strings.TrimLeft(v[len(word):], " \t")
	switch {
	case isScheme(lower(word)) && len(word) < len(v) && rest != "":
		start = end - len(rest)
		if !manyPart(lower(word)) {
			end = start + bareEnd(rest, 0)
		}
	case strings.ContainsAny(v, " \t"):
		end = start + bareEnd(v, 0)
		word = ""
	default:
		end = start + bareEnd(v, 0)
		word = ""
	}
	if v = f.text[start:end]; v == "" || isReference(v, '"') || isWordOfForms(v) {
		return
	}
	if word == "" && (len(v) < 12 || strings.ContainsAny(v, "([{")) || len(v) < 6 || slug(v) || dotted(v) {
		return
	}
	if !(hasDigit(v) && hasLetter(v)) && !hasRandomPart(v, 8) {
		return
	}
	f.add(start, end, rule, rankName)
}

const schemeBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-"

// isScheme reports whether a word is an authentication scheme of HTTP, registered or in use.
func isScheme(word string) bool {
	switch word {
	case "bearer", "basic", "token", "digest", "apikey", "api-key", "key", "negotiate", "ntlm", "ssws", "bot", "dpop", "hawk", "oauth", "googlelogin",
		"aws4-hmac-sha256", "sharedkey", "sharedaccesssignature", "hmac-sha256", "mutual", "vapid", "scram-sha-256", "gnap", "jwt", "client-id",
		"genie-key", "genie", "snyk", "splunk", "zoho-oauthtoken", "session":
		return true
	}
	return false
}

// manyPart reports whether a scheme's credentials are a list: Digest username="…", response="…".
func manyPart(scheme string) bool {
	switch scheme {
	case "digest", "hawk", "oauth", "googlelogin", "aws4-hmac-sha256", "sharedaccesssignature", "mutual", "vapid":
		return true
	}
	return false
}

// bearer redacts what follows Bearer outside of a known header.
func (f *finder) bearer(i, end int) {
	s := f.text
	start := skipBlanks(s, end, 4)
	if wordAt(s, i-1) || start == end || start == len(s) {
		return
	}
	v := s[start:bareEnd(s, start)]
	f.work += len(v)
	if a := (assignment{tight: true}); v != "" && len(v) >= 16 && !isReference(v, 0) && isToken(v, &a) {
		f.add(start, start+len(v), "authorization", rankPlace)
	}
}

func (f *finder) cookie(i, end int) {
	s := f.text
	if end == len(s) || s[end] != ':' {
		return
	}
	outer := byte(0)
	for k := i - 1; k >= 0 && k >= i-5; k-- { // "Set-" before it
		if isQuote(s[k]) {
			outer = s[k]
			break
		}
	}
	start := skipBlanks(s, end+1, 4)
	if start < len(s) && isQuote(s[start]) {
		outer = s[start]
		start++
	}
	stop := headerEnd(s, start, outer)
	f.work += stop - start
	if hasCookie(s[start:stop]) {
		f.add(start, stop, "cookie", rankPlace)
	}
}

// hasCookie reports whether one of the values in a=b; c=d looks like more than a preference.
func hasCookie(list string) bool {
	for pair := range strings.SplitSeq(list, ";") {
		_, v, _ := strings.Cut(pair, "=")
		if len(v) >= 8 && (hasDigit(v) || mixed(v)) && markerLen(v) == 0 && !isReference(v, '"') {
			return true
		}
	}
	return false
}

// url redacts the password in scheme://user:password@host, whose :// is before i.
func (f *finder) url(start, i int) {
	s := f.text
	if start == 0 || !setAlnum.has(s[start-1]) {
		return
	}
	colon, at := -1, -1
	end := i
loop:
	for limit := min(len(s), i+1024); end < limit; end++ {
		switch s[end] {
		case ' ', '\t', '\n', '\r', '"', '\'', '`', '<', '>', '/', '?', '#', '\\', ',':
			break loop
		case ':':
			if colon < 0 {
				colon = end
			}
		case '@':
			at = end
		}
	}
	f.work += end - i
	switch {
	case at < 0:
	case colon >= 0 && colon < at-1:
		if v := s[colon+1 : at]; !isReference(v, 0) && !strings.HasPrefix(v, "$") && !isEmptyWord(v) {
			f.add(colon+1, at, "url-password", rankPlace)
		}
	case colon < 0:
		if a := (assignment{tight: true}); at-i >= 16 && !isReference(s[i:at], 0) && isWeakToken(s[i:at], &a) {
			f.add(i, at, "url-password", rankPlace)
		}
	}
}

// isEmptyWord reports whether documentation uses v as a password in URLs.
func isEmptyWord(v string) bool {
	switch lower(v) {
	case "password", "pass", "passwd", "pwd", "pw", "secret":
		return true
	}
	return false
}

// pgpass redacts the password in a line of .pgpass, host:port:database:user:password, whose port is s[i+1:end-1].
func (f *finder) pgpass(i, end int) {
	s := f.text
	start := i
	for start > 0 && i-start < 256 && !endsField(s[start-1]) {
		start--
	}
	if start == i || strings.Contains(s[start:i], ":") {
		return
	}
	for range 2 { // the database and the user
		n := strings.IndexByte(s[end:min(len(s), end+maxName)], ':')
		if n < 1 || strings.ContainsAny(s[end:end+n], " \t\n\"'`\\/") {
			return
		}
		end += n + 1
	}
	stop := end
	for stop < len(s) && stop-end < maxName && !endsField(s[stop]) {
		if s[stop] == '\\' && stop+1 < len(s) && (s[stop+1] == ':' || s[stop+1] == '\\') {
			stop++
		}
		stop++
	}
	f.work += stop - start
	stop = min(stop, len(s))
	if v := s[end:stop]; len(v) >= 3 && !isReference(v, 0) && !strings.HasPrefix(v, ":") && !strings.HasPrefix(v, "*") &&
		strings.Trim(v, "0123456789:") != "" {
		f.add(end, stop, "password", rankPlace)
	}
}

// endsField reports whether b stands beside a line of .pgpass in a text, and in no host or password.
func endsField(b byte) bool {
	return setSpace.has(b) || isQuote(b) || strings.IndexByte("<>|)=/", b) >= 0
}

// crypt redacts a hash of crypt(3), $6$salt$hash, that starts at i. It can be tried out like a password.
func (f *finder) crypt(i int) {
	s := f.text
	end, last := i, i
	for end < len(s) && end-i < 200 && (setAlnum.has(s[end]) || strings.IndexByte("$./=,+-", s[end]) >= 0) {
		if s[end] == '$' {
			last = end
		}
		end++
	}
	f.work += end - i
	if strings.Count(s[i:end], "$") >= 3 && end-last > 20 {
		f.add(i, end, "password", rankPlace)
	}
}

// identified redacts the password in SQL: USER name IDENTIFIED [WITH plugin] BY 'password'. The words IDENTIFIED BY, or IDENTIFIED
// WITH, are s[start:i].
func (f *finder) identified(start, i int) {
	s := f.text
	if before := s[max(0, start-160):start]; !foldContains(before, "user ") && !foldContains(before, "grant ") {
		return
	}
	if n := strings.IndexAny(s[i:min(len(s), i+64)], `'"`); n >= 0 && (n == 0 || foldPrefix(s[i+n-min(n, 4):], " by ")) {
		f.quotedSecret(i + n)
	}
}

// sent redacts what expect sends after it has waited for a password: expect "assword:"; send "…\r". The word send is s[i:end].
func (f *finder) sent(i, end int) {
	s := f.text
	if before := s[max(0, i-96):i]; wordAt(s, i-1) || !foldContains(before, "assword") && !foldContains(before, "assphrase") {
		return
	}
	for strings.HasPrefix(s[end:], "-- ") {
		end += len("-- ")
	}
	if end < len(s) && isQuote(s[end]) {
		f.quotedSecret(end)
	}
}

// quotedSecret redacts the text in the quotes that begin at i, without the line end that it may write out.
func (f *finder) quotedSecret(i int) {
	s := f.text
	end := quotedEnd(s, i+1, s[i])
	f.work += end - i
	v := s[i+1 : end]
	for _, written := range [...]string{`\r`, `\n`} {
		v = strings.TrimRight(strings.TrimSuffix(v, written), `\`)
	}
	if len(v) >= 3 && !isReference(v, '"') && !isWordOfForms(v) && !isSentence(v) {
		f.add(i+1, i+1+len(v), "password", rankPlace)
	}
}

// tuple redacts the password of auth=("user", "password"), and of calls like BasicAuth("user", "password") and PlainAuth("",
// "user", "password", host). The name ends at i.
func (f *finder) tuple(i int) {
	s := f.text
	for end := i + 4; i < len(s) && i < end && strings.IndexByte(" =:", s[i]) >= 0; {
		i++
	}
	if i >= len(s) || s[i] != '(' {
		return
	}
	i++
	for n, last := 0, 1; n <= last; n++ {
		if i = skipBlanks(s, i, 4); i >= len(s) || !isQuote(s[i]) {
			return
		}
		end := quotedEnd(s, i+1, s[i])
		v := s[i+1 : end]
		if n == 0 && v == "" {
			last = 2
		}
		if n == last && (hasDigit(v) || hasSymbol(v)) {
			f.quotedSecret(i)
		}
		if end+1 >= len(s) || s[end+1] != ',' {
			return
		}
		i = end + 2
	}
}
