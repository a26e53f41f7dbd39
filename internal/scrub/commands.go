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
	whole       how = iota // the whole argument
	attached               // it follows the flag without a blank: -pSECRET
	afterSep               // user:secret, or user%secret
	afterTag               // pass:secret
	afterEqual             // name=secret
	pairs                  // every argument of the form name=secret
	cookies                // name=secret; name=secret
	plainArgs              // every argument that is no flag and follows none of the flags, which take values
	lastPlain              // as htpasswd -b has it: file, user, secret
	secondPlain            // the second argument that is no flag
	thirdPlain             // the third
	prefixed               // what follows one of the flags in its argument: /p:secret
	afterComma             // user,secret
	afterSlash             // user/secret@host, of an argument that is no flag
	driveShare             // net use Z: \\host\share secret
	ifSecure               // whole, if SecureString stands near
	piped                  // what echo writes into the program, if it has one of the flags
	pipedPairs             // that, as user:secret
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
	{"7z ", " -p ", attached},
	{"7za ", " -p ", attached},
	{"7zz ", " -p ", attached},
	{"7zr ", " -p ", attached},
	{"zip ", " -P ", whole},
	{"openssl ", " -pass -passin -passout ", afterTag},
	{"openssl ", " -k -K ", whole},
	{"vault login ", " ", whole},
	{"curl ", " -b --cookie ", cookies},
	{"create secret ", " --from-literal ", afterEqual},
	{"vault kv put ", "", pairs},
	{"vault kv patch ", "", pairs},
	{"secrets set ", "", pairs},
	{"gh secret set ", " -b --body ", whole},
	{"ssh-keygen ", " -N -P ", whole},
	{"sqlcmd ", " -P ", whole},
	{"sqlcmd ", " -P ", attached},
	{"htpasswd ", " -C ", lastPlain},
	{"ansible-vault encrypt_string ", " -n --name --stdin-name --vault-id --encrypt-vault-id --vault-password-file ", plainArgs},
	{"sudo ", " -S --stdin ", piped},
	{"secret create ", " - ", piped}, // of docker and podman
	{"gh secret set ", " ", piped},
	{"docker login ", " --password-stdin ", piped},
	{"podman login ", " --password-stdin ", piped},
	{"registry login ", " --password-stdin ", piped},
	{"gh auth login ", " --with-token ", piped},
	{"passwd ", " --stdin ", piped},
	{"chpasswd", " ", pipedPairs},
	{"cryptsetup ", " ", piped},
	{"passwd ", " ", piped},
	{"kinit ", " ", piped},
	{"vercel env add ", " ", piped},
	{"secret put ", " ", piped},
	{"mosquitto_", " -P --pw ", whole},
	{"ipmitool ", " -P ", whole},
	{"snmp", " -A -X ", whole},
	{"nmcli ", " password wifi-sec.psk 802-11-wireless-security.psk ", whole},
	{"keytool ", " -storepass -keypass -srcstorepass -deststorepass -srckeypass -destkeypass ", whole},
	{"jarsigner ", " -storepass -keypass ", whole},
	{"security add-", " -w ", whole},
	{"ssm put-parameter ", " --value ", ifSecure},
	{"wpa_passphrase ", "", secondPlain},
	{"xfreerdp", " /p: ", prefixed},
	{"wlfreerdp", " /p: ", prefixed},
	{"net use ", "", driveShare},
	{"convertto-securestring ", " -Key -SecureKey ", plainArgs},
	{"lftp ", " -u --user ", afterComma},
	{"sqlplus ", "", afterSlash},
	{"keyvault secret set ", " --value ", whole},
	{"cargo login ", " ", whole},
	{"twine ", " -p ", whole},
	{"ncftp", " -p ", whole},
	{"config http-basic.", "", secondPlain},
	{"redis-cli auth ", " ", whole},
	{"mosquitto_passwd ", " ", lastPlain},
	{"jenkins-cli", " -auth ", afterSep},
	{"add_user ", "", secondPlain},
	{"net user ", "", secondPlain},
	{"smbpasswd ", " ", piped},
	{"unrar ", " -p ", attached},
	{"networksetup ", "", thirdPlain},
}

// maxCommand bounds how much of a command's arguments is read, in bytes.
const maxCommand = 2 << 10

// command looks for the secret in the arguments of c, whose name is s[i:end].
func (f *finder) command(c *command, i, end int) {
	s := f.text
	if wordAt(s, i-1) || i > 0 && s[i-1] == '-' {
		return
	}
	for end < len(s) && s[end-1] != ' ' && (setWord | setDash | setDot).has(s[end]) { // mysqldump, ldapsearch, mongosh
		end++
	}
	if i > 0 && end < len(s) && isQuote(s[i-1]) && s[end] == s[i-1] && c.how != plainArgs { // a program's name in a string of code
		return
	}
	if c.how == piped || c.how == pipedPairs {
		f.piped(c, i, end)
		return
	}
	args := arguments{c: c}
	for at := end; at < len(s) && at < end+maxCommand; {
		start := skipBlanks(s, at, 64)
		if start == len(s) || endsCommand(s[start]) {
			break
		}
		at = argumentEnd(s, start)
		f.work += at - start
		f.argument(&args, start, at)
		args.flag = s[start:at]
	}
}

// arguments is where the search of a command's arguments stands.
type arguments struct {
	c     *command
	flag  string // the argument before this one
	plain int    // so many were no flags
	batch bool   // htpasswd: -b, the secret is an argument
	print bool   // htpasswd: -n, no file is named
	said  bool   // a share was named, or SecureString
}

// endsCommand reports whether b ends a command or its line.
func endsCommand(b byte) bool { return b == '\n' || b == '|' || b == ';' || b == '&' }

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

// argument redacts the secret in s[start:end], if it is one of the command's arguments that hold one.
func (f *finder) argument(args *arguments, start, end int) {
	c := args.c
	start, end = unquotedFlag(f.text, start, end)
	arg := f.text[start:end]
	switch c.how {
	case attached:
		if start, ok := attachedTo(c.flags, arg); ok {
			f.secretArgument(end-len(arg)+start, end)
		}
	case pairs:
		if name, value, ok := strings.Cut(arg, "="); ok && name != "" && name[0] != '-' {
			f.storedValue(end-len(value), end)
		}
	case plainArgs:
		if arg[0] != '-' && !args.takes() {
			f.secretArgument(start, end)
		}
	case lastPlain:
		f.lastPlain(args, start, end)
	case secondPlain, thirdPlain, driveShare, afterSlash, prefixed:
		f.placed(args, start, end)
	default:
		f.flagged(args, start, end)
	}
}

// placed redacts the secret in s[start:end] by the argument's own form or its number.
func (f *finder) placed(args *arguments, start, end int) {
	arg := f.text[start:end]
	switch args.c.how {
	case prefixed:
		if flag := strings.TrimSpace(args.c.flags); strings.HasPrefix(arg, flag) {
			f.secretArgument(start+len(flag), end)
		}
	case secondPlain, thirdPlain:
		if arg[0] != '-' && arg[0] != '/' {
			if args.plain++; args.plain == 2+int(args.c.how-secondPlain) {
				f.secretArgument(start, end)
			}
		}
	case driveShare:
		if args.said && !strings.ContainsAny(arg[:1], "/*\\") {
			f.secretArgument(start, end)
			args.said = false
		}
		args.said = args.said || strings.HasPrefix(arg, `\\`)
	case afterSlash:
		f.slashed(start, end)
	}
}

// slashed redacts the password of user/password@host in s[start:end].
func (f *finder) slashed(start, end int) {
	arg := f.text[start:end]
	user, rest, ok := strings.Cut(arg, "/")
	if !ok || user == "" || !allIn(user, setWord) {
		return
	}
	pass, _, _ := strings.Cut(rest, "@")
	if from := start + len(user) + 1; len(pass) >= 3 {
		f.secretArgument(from, from+len(pass))
	}
}

// takes reports whether the argument before this one is a flag of the command's list.
func (a *arguments) takes() bool {
	return a.flag != "" && strings.Contains(a.c.flags, " "+a.flag+" ")
}

// unquotedFlag leaves out the quotes around a flag with its value: '-pSECRET'.
func unquotedFlag(s string, start, end int) (int, int) {
	if end-start > 3 && isQuote(s[start]) && s[start+1] == '-' && s[end-1] == s[start] {
		return start + 1, end - 1
	}
	return start, end
}

// flagged redacts the secret in s[start:end] if it follows a flag of the command's, in this argument or the one before.
func (f *finder) flagged(args *arguments, start, end int) {
	c, arg := args.c, f.text[start:end]
	takes := args.takes() || c.flags == " " && args.flag == "" && arg[0] != '-'
	if name, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(name, "--") && strings.Contains(c.flags, " "+name+" ") {
		start, arg, takes = end-len(value), value, true
	} else if n, ok := attachedTo(c.flags, arg); ok && !takes && (c.how == afterSep || c.how == afterComma || c.how == cookies || c.how == whole &&
		isQuote(arg[n])) {
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
		f.userPassword(start, end, ":%")
	case afterComma:
		f.userPassword(start, end, ",")
	case ifSecure:
		if foldContains(f.lineAround(start, end), "securestring") {
			f.secretArgument(start, end)
		}
	case afterEqual:
		if i := strings.IndexByte(arg, '='); i >= 0 {
			f.storedValue(start+i+1, end)
		}
	case cookies:
		if start, end = f.trimmed(start, end); hasCookie(f.text[start:end]) {
			f.add(start, end, "cookie", rankPlace)
		}
	}
}

// lineAround is the line of s[start:end], within some bytes.
func (f *finder) lineAround(start, end int) string {
	const near = maxCommand / 4
	before, after := f.text[max(0, start-near):start], f.text[end:min(len(f.text), end+near)]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	after, _, _ = strings.Cut(after, "\n")
	f.work += len(before) + len(after)
	return before + " " + after
}

// storedValue redacts s[start:end], which goes into a store of secrets, unless it is read from a file or from stdin.
func (f *finder) storedValue(start, end int) {
	if start, end = f.trimmed(start, end); end-start >= 3 && f.text[start] != '@' {
		f.secretArgument(start, end)
	}
}

// lastPlain redacts s[start:end] if it is the secret of htpasswd -b: the third argument that is no flag, or with -n the second.
func (f *finder) lastPlain(args *arguments, start, end int) {
	arg := f.text[start:end]
	switch {
	case arg[0] == '-':
		args.batch = args.batch || arg[len(arg)-1] != '-' && strings.Contains(arg, "b")
		args.print = args.print || strings.Contains(arg, "n")
	case args.takes():
	default:
		args.plain++
		if args.batch && (args.plain == 3 || args.plain == 2 && args.print) {
			f.secretArgument(start, end)
		}
	}
}

// attachedTo is the length of the one-letter flag of flags that arg begins with, if more follows.
func attachedTo(flags, arg string) (int, bool) {
	if len(arg) < 3 || arg[0] != '-' || arg[1] == '-' || !strings.Contains(flags, " "+arg[:2]+" ") {
		return 0, false
	}
	return 2, true
}

// userPassword redacts the password behind one of seps, as in user:password or user%password. If that is empty, it
// redacts the user if that looks like a token.
func (f *finder) userPassword(start, end int, seps string) {
	arg := f.text[start:end]
	sep := strings.IndexAny(arg, seps)
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
	start, end = f.trimmed(start, end)
	if v := f.text[start:end]; v != "" && v[0] != '-' && !isReference(v, 0) && !isWordOfForms(v) {
		f.add(start, end, "argument", rankPlace)
	}
}

// trimmed leaves out the quotes around s[start:end], with the backslashes that JSON puts before them.
func (f *finder) trimmed(start, end int) (int, int) {
	s := f.text
	for start < end && (isQuote(s[start]) || s[start] == '\\' && start+1 < end && isQuote(s[start+1])) {
		start++
	}
	for start < end && (isQuote(s[end-1]) || s[end-1] == '\\') {
		end--
	}
	return start, end
}
