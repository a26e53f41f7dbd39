package scrub

import "strings"

// policy is how secret a value must look, given its name.
type policy uint8

const (
	notSecret policy = iota
	password         // anything that is a value at all
	token            // what looks like chosen by a machine
	weak             // what looks very much so
	signed           // that, and in a URL
	denied           // only in this file: a later word of the name rules a secret out
)

// policyOf judges a name: db_password, clientSecret, X-Api-Key, TOKEN_2. Its last word about a
// secret decides, unless the words after it say that the value is only about the secret:
// password_file, tokenUrl.
func policyOf(name string) policy {
	if name == "PWD" || name == "OLDPWD" { // the shell's folder
		return notSecret
	}
	if len(name) > 24 && strings.IndexByte(name, '-') < 0 && !identifier(name) { // random letters, as of base64
		return notSecret
	}
	var words [maxWords]string
	n := split(name, &words)
	switch words[0] {
	case "ask", "show", "hide", "toggle", "forgot", "remember", "enable", "disable", "allow", "require": // --ask-pass
		return notSecret
	}
	for i := n - 1; i >= 0; i-- {
		before := ""
		if i > 0 {
			before = words[i-1]
		}
		p := wordPolicy(words[i], before)
		if p == notSecret {
			continue
		}
		if p = max(p, tailPolicy(words[i+1:n])); p == denied {
			return notSecret
		}
		return p
	}
	return notSecret
}

// tailPolicy judges the words after the one about a secret. notSecret changes nothing.
func tailPolicy(words []string) policy {
	p := notSecret
	for _, w := range words {
		switch {
		case isAbout(w):
			return denied
		case !isHarmless(w):
			p = weak
		}
	}
	return p
}

// maxWords is how many words of a name are examined, from its start.
const maxWords = 16

// split splits name into words in lower case: at non-letters, digits and the humps of camelCase.
// Further words are dropped.
func split(name string, words *[maxWords]string) int {
	n, start := 0, 0
	flush := func(end int) {
		if end > start && n < maxWords {
			words[n] = lower(name[start:end])
			n++
		}
	}
	for i := range len(name) {
		switch {
		case !setLetter.has(name[i]):
			flush(i)
			start = i + 1
		case i > start && hump(name, i):
			flush(i)
			start = i
		}
	}
	flush(len(name))
	return n
}

// hump reports whether a word of camelCase begins at i: aB, or the B of ABc.
func hump(name string, i int) bool {
	if !setUpper.has(name[i]) {
		return false
	}
	return setLower.has(name[i-1]) || i+1 < len(name) && setLower.has(name[i+1])
}

func lower(s string) string {
	for i := range len(s) {
		if s[i] != fold(s[i]) {
			b := []byte(s)
			for j := range b {
				b[j] = fold(b[j])
			}
			return string(b)
		}
	}
	return s
}

// wordPolicy judges one word of a name, given the word before it.
func wordPolicy(word, before string) policy {
	switch word {
	case "pass":
		return passPolicy(before)
	case "pwd", "passcode", "psk", "mdp", "contrasena", "senha", "kennwort", "wachtwoord", "haslo", "heslo", "sifre", "salasana", "adgangskode", "losenord",
		"jelszo", "requirepass", "masterauth", "authtok":
		return password
	case "auth", "cred", "creds", "credential", "credentials", "jwt", "bearer", "authkey":
		return weak
	case "sig", "signature":
		return signed
	case "apikey", "accesskey", "secretkey", "privatekey", "authtoken", "sessionkey", "signingkey", "apitoken", "apisecret", "appkey":
		return token
	case "key":
		return keyPolicy(before)
	}
	switch {
	case strings.HasSuffix(word, "password"), strings.HasSuffix(word, "passwd"), strings.HasSuffix(word, "passphrase"), strings.HasSuffix(word, "passwort"),
		strings.HasSuffix(word, "pw") && isOwnerOfPw(word[:len(word)-2]), strings.HasSuffix(word, "pass") && !isCommonPass(word):
		return password
	case strings.HasSuffix(word, "creds"):
		return weak
	case strings.HasSuffix(word, "token"):
		return tokenPolicy(before)
	case strings.HasSuffix(word, "secret"):
		return token
	}
	return notSecret
}

// passPolicy tells the passwords called pass from the passes of compilers, renderers and tests, by the word before.
func passPolicy(before string) policy {
	switch before {
	case "one", "two", "three", "first", "second", "third", "single", "multi", "by", "low", "high", "band", "all", "next", "prev", "previous", "last", "each",
		"final", "render", "shadow", "depth", "shader", "compiler", "opt", "post", "pre", "forward", "backward", "blur", "lint", "boarding", "num",
		"debug", "print", "time", "verify":
		return notSecret
	}
	return password
}

// isOwnerOfPw reports whether who and pw make the name of a password: rootpw. Random letters end in pw, too.
func isOwnerOfPw(who string) bool {
	switch who {
	case "", "admin", "bind", "db", "key", "ldap", "login", "mail", "master", "my", "old", "new", "root", "sa", "service", "smtp", "store", "sudo",
		"svc", "user", "vault", "wifi":
		return true
	}
	return false
}

// isCommonPass reports whether a word that ends in pass means no password: compass.
func isCommonPass(word string) bool {
	if word == "rpass" { // clang -Rpass=…
		return true
	}
	for _, common := range [...]string{"compass", "bypass", "trespass", "surpass", "overpass", "underpass", "lowpass", "highpass", "bandpass",
		"multipass", "prepass",
		"subpass", "allpass", "keepass", "onepass", "twopass", "renderpass"} {
		if strings.HasSuffix(word, common) {
			return true
		}
	}
	return false
}

// tokenPolicy tells tokens that grant access from tokens that are counted or turn pages.
func tokenPolicy(before string) policy {
	switch before {
	case "next", "page", "continuation", "cancellation", "cancel", "max", "min", "num", "total", "input", "output", "prompt", "completion",
		"sync", "abort", "current", "syntax", "parser", "lexer", "eof":
		return notSecret
	}
	return token
}

// keyPolicy judges "key" by the word before it.
func keyPolicy(before string) policy {
	switch before {
	case "api", "access", "secret", "private", "auth", "signing", "sign", "encryption", "encrypt", "encrypted", "decryption", "master", "account",
		"storage", "shared", "service", "consumer", "deploy", "subscription", "license", "integration", "write", "ingest", "admin", "webhook",
		"hmac", "cookie", "crypto", "unseal", "this", "aes", "bot", "function", "host", "instrumentation", "app", "application", "client", "x":
		return token
	case "public", "pub", "primary", "foreign", "sort", "partition", "cache", "object", "hash", "range", "row", "index", "unique", "group", "map",
		"hot", "short", "translation", "routing", "idempotency", "dedup", "lookup", "query", "config", "registry", "setting", "event", "issue",
		"project", "ssh", "s3", "dict", "json", "message", "i18n":
		return notSecret
	}
	return weak
}

// isAbout reports whether a word after a secret's word means that the value is no secret but a
// count, a place or a kind.
func isAbout(word string) bool {
	switch word {
	case "id", "ids", "name", "names", "count", "counts", "limit", "limits", "max", "min", "length", "len", "size", "type", "types", "url", "urls",
		"uri", "endpoint", "path", "paths", "file", "files", "filename", "dir", "ttl", "expiry", "expires", "expire", "expiration", "exp", "age",
		"policy", "field", "fields", "input", "prompt", "stdin", "ref", "refs", "arn", "version", "idx", "manager", "provider", "store", "class",
		"func", "function", "regex", "regexp", "pattern", "label", "placeholder", "hint", "error", "errors", "err", "required", "enabled",
		"disabled", "kind", "format", "budget", "usage", "cost", "used", "rate", "per", "env", "var", "vars", "alias", "status", "state", "scope",
		"scopes", "rotation", "reset", "changed", "created", "updated", "at", "by", "in", "from", "for", "is", "and", "or", "the", "not", "has",
		"handler", "service", "client", "server", "request", "response", "list", "set", "get", "check", "valid", "invalid", "validator", "algorithm",
		"alg", "method", "mode", "strategy", "helper", "util", "utils", "test", "tests", "spec", "md", "go", "js", "ts", "py", "json", "yaml", "yml",
		"address", "addr", "txt", "rb", "java", "html", "css", "sh", "pem", "crt", "pub", "generator", "parser", "lexer", "stream", "bucket", "manifest", "s":
		return true
	}
	return false
}

// isHarmless reports whether the name of a secret stays one with this word after it.
func isHarmless(word string) bool {
	switch word {
	case "value", "val", "string", "str", "text", "plain", "plaintext", "b", "base", "hex", "raw", "prod", "production", "dev", "development",
		"staging", "stage", "main", "live", "old", "new", "default", "key", "token", "secret", "hash", "data", "header", "root", "admin", "user",
		"rw", "ro", "primary", "secondary", "a", "local", "ci", "pypi", "npm", "github", "gitlab", "aws":
		return true
	}
	return false
}

// word is an anchor of the rules that are not tokens.
type word struct {
	text string
	kind kind
}

// words are the anchors by hand: each name that policyOf knows contains one of kindName.
var words = []word{
	{"pass", kindName}, {"pwd", kindName}, {"token", kindName}, {"secret", kindName}, {"key", kindName}, {"auth", kindName},
	{"cred", kindName}, {"psk", kindName}, {"kennwort", kindName}, {"wachtwoord", kindName}, {"masterauth", kindName}, {"jwt", kindName},
	{"pw", kindName},
	{"sig", kindName}, {"bearer", kindName},
	{"authorization", kindHeader},
	{"bearer", kindBearer},
	{"cookie", kindCookie},
	{"kind", kindManifest},
	{"://", kindURL},
	{"private key", kindPEM}, {"private-lines", kindPEM},
	{"mnemonic", kindPhrase}, {"seed phrase", kindPhrase}, {"seed_phrase", kindPhrase}, {"seed-phrase", kindPhrase}, {"seedphrase", kindPhrase},
	{"recovery phrase", kindPhrase},
	{"$apr1$", kindCrypt}, {"$1$", kindCrypt}, {"$5$", kindCrypt}, {"$6$", kindCrypt}, {"$y$", kindCrypt}, {"$2a$", kindCrypt}, {"$2b$", kindCrypt},
	{"$2y$", kindCrypt},
	{"identified by ", kindQuoted}, {"identified with", kindQuoted}, {"send ", kindSend}, {"oracle:thin:", kindSlashed},
	{" -p ", kindUserFlag}, {" /rp ", kindUserFlag},
	{"send-keys ", kindTyped}, {"sendline(", kindTyped}, {"xdotool ", kindTyped}, {"keystroke ", kindTyped}, {"input text ", kindTyped},
	{" -x stuff ", kindTyped},
	{"exp_send ", kindTyped}, {"send ", kindTyped}, {"send_keys(", kindTyped}, {"sendkeys(", kindTyped}, {"keyboard.type(", kindTyped},
	{"login", kindLogin}, {"log in ", kindLogin}, {"log on ", kindLogin}, {"sign in ", kindLogin}, {"signin", kindLogin}, {"unlock", kindLogin},
	{"authenticate", kindLogin}, {"connect", kindLogin}, {"connection", kindLogin}, {"pdo", kindLogin}, {"wifi.begin", kindLogin},
	{"emailandpassword", kindLogin},
	{"credential", kindLogin}, {"bcrypt.hash(", kindCall}, {"hashpw(", kindCall}, {"auth(", kindCall}, {" crypt(", kindCall}, {"md5(", kindCall},
	{"jwt.sign", kindLogin}, {"key content", kindForeign}, {"identify", kindLogin},
	{"contrase", kindForeign}, {"mot de passe", kindForeign}, {"mots de passe", kindForeign}, {"mot_de_passe", kindForeign}, {"motdepasse", kindForeign},
	{"senha", kindForeign}, {"palavra-passe", kindForeign}, {"palavra passe", kindForeign}, {"kata sandi", kindForeign}, {"sandi ", kindForeign},
	{"parola", kindForeign},
	{"haslo", kindForeign}, {"hasło", kindForeign}, {"heslo", kindForeign}, {"salasana", kindForeign}, {"adgangskode", kindForeign}, {"jelsz", kindForeign},
	{"lösenord", kindForeign}, {"losenord", kindForeign}, {" clave ", kindForeign}, {"clave: ", kindForeign}, {"şifre", kindForeign}, {"sifre", kindForeign},
	{"mật khẩu", kindForeign}, {"парол", kindForeign}, {"Парол", kindForeign}, {"ПАРОЛ", kindForeign}, {"密码", kindForeign}, {"密碼", kindForeign},
	{"口令", kindForeign},
	{"パスワード", kindForeign}, {"पासवर्ड", kindForeign}, {"পাসওয়ার্ড", kindForeign}, {"كلمة المرور", kindForeign}, {"كلمة السر",
		kindForeign},
	{"كلمة مرور", kindForeign}, {"پاس ورڈ", kindForeign}, {"رمز عبور", kindForeign}, {"비밀번호", kindForeign}, {"암호", kindForeign}, {"κωδικ",
		kindForeign},
	{"סיסמ", kindForeign}, {"รหัสผ่าน", kindForeign}, {"கடவுச்சொல்", kindForeign}, {"kennwort", kindForeign}, {"wachtwoord", kindForeign},
	{"passwort", kindForeign},
	{":5432:", kindPgpass}, {":5433:", kindPgpass}, {":6432:", kindPgpass}, {":*:", kindPgpass},
}
