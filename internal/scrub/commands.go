package scrub

import "strings"

// command is a program that takes a secret as an argument.
type command struct {
	name  string // in lower case, with the words that must follow
	flags string // the flags before the secret, each surrounded by blanks
	how   how
}

// how says where in an argument the secret is.
type how uint8

const (
	whole    how = iota // the whole argument
	attached            // it follows the flag without a blank: -pSECRET
	afterSep            // user:secret, or user%secret
	afterTag            // pass:secret
)

var commands = []command{
	{"curl ", " -u --user -U --proxy-user ", afterSep},
	{"http ", " -a --auth ", afterSep},
	{"https ", " -a --auth ", afterSep},
	{"xh ", " -a --auth ", afterSep},
	{"smbclient ", " -U --user ", afterSep},
	{"sshpass ", " -p ", whole},
	{"sshpass ", " -p ", attached},
	{"mysql", " -p ", attached},
	{"mariadb", " -p ", attached},
	{"redis-cli ", " -a --pass ", whole},
	{"docker login ", " -p ", whole},
	{"podman login ", " -p ", whole},
	{"registry login ", " -p ", whole},
	{"az login ", " -p ", whole},
	{"oc login ", " -p ", whole},
	{"mongo", " -p ", whole},
	{"ldap", " -w ", whole},
	{"7z", " -p ", attached},
	{"zip ", " -P ", whole},
	{"openssl ", " -pass -passin -passout -k -K ", afterTag},
	{"vault login ", " ", whole},
}

// maxCommand bounds how much of a command's arguments is read, in bytes.
const maxCommand = 2 << 10

// command looks for the secret in the arguments of c, whose name is s[i:end].
func (f *finder) command(c *command, i, end int) {
	s := f.text
	if wordAt(s, i-1) || i > 0 && s[i-1] == '-' {
		return
	}
	for end < len(s) && s[end-1] != ' ' && (setWord | setDash).has(s[end]) { // mysqldump, ldapsearch, mongosh
		end++
	}
	if i > 0 && end < len(s) && isQuote(s[i-1]) && s[end] == s[i-1] { // a program's name in a string of code
		return
	}
	flag := ""
	for at := end; at < len(s) && at < end+maxCommand; {
		start := skipBlanks(s, at, 64)
		if start == len(s) || s[start] == '\n' || s[start] == '|' || s[start] == ';' || s[start] == '&' {
			break
		}
		at = argumentEnd(s, start)
		f.work += at - start
		f.argument(c, flag, start, at)
		flag = s[start:at]
	}
}

// argumentEnd is the end of the shell argument that starts at i. Quotes keep blanks together.
func argumentEnd(s string, i int) int {
	quote := byte(0)
	for limit := min(len(s), i+maxCommand); i < limit; i++ {
		switch b := s[i]; {
		case quote != 0:
			if b == quote {
				quote = 0
			}
		case b == '"' || b == '\'':
			quote = b
		case b == ' ' || b == '\t' || b == '\n' || b == '|' || b == ';':
			return max(i, 1)
		}
	}
	return min(i, len(s))
}

// argument redacts the secret in s[start:end], an argument of c after flag.
func (f *finder) argument(c *command, flag string, start, end int) {
	arg := f.text[start:end]
	if c.how == attached {
		if start, ok := attachedTo(c.flags, arg); ok {
			f.secretArgument(end-len(arg)+start, end)
		}
		return
	}
	takes := strings.Contains(c.flags, " "+flag+" ") && flag != "" || c.flags == " " && flag == "" && arg[0] != '-'
	if name, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(name, "--") && strings.Contains(c.flags, " "+name+" ") {
		start, arg, takes = end-len(value), value, true
	} else if n, ok := attachedTo(c.flags, arg); ok && !takes && c.how == afterSep {
		start, arg, takes = start+n, arg[n:], true
	}
	if !takes || arg == "" {
		return
	}
	switch c.how {
	case whole:
		f.secretArgument(start, end)
	case afterTag:
		if strings.HasPrefix(strings.TrimLeft(arg, `"'`), "pass:") {
			f.secretArgument(start+strings.IndexByte(arg, ':')+1, end)
		}
	case afterSep:
		f.userPassword(start, end)
	}
}

// attachedTo is the length of the one-letter flag of flags that arg begins with, if more follows.
func attachedTo(flags, arg string) (int, bool) {
	if len(arg) < 3 || arg[0] != '-' || arg[1] == '-' || !strings.Contains(flags, " "+arg[:2]+" ") {
		return 0, false
	}
	return 2, true
}

// userPassword redacts the password of user:password or user%password. If that is empty, it
// redacts the user if that looks like a token.
func (f *finder) userPassword(start, end int) {
	arg := f.text[start:end]
	sep := strings.IndexAny(arg, ":%")
	if sep < 0 {
		return
	}
	if strings.Trim(arg[sep+1:], `"'`) != "" {
		f.secretArgument(start+sep+1, end)
		return
	}
	lead := len(arg) - len(strings.TrimLeft(arg, `"'`))
	if v := arg[lead:sep]; v != "" && !isReference(v, 0) && isToken(v, &assignment{tight: true}) {
		f.add(start+lead, start+sep, "argument", rankPlace)
	}
}

// secretArgument redacts s[start:end], without surrounding quotes, if it is a value.
func (f *finder) secretArgument(start, end int) {
	s := f.text
	for start < end && isQuote(s[start]) {
		start++
	}
	for start < end && isQuote(s[end-1]) {
		end--
	}
	if v := s[start:end]; v != "" && v[0] != '-' && !isReference(v, 0) && !isWordOfForms(v) {
		f.add(start, end, "argument", rankPlace)
	}
}
