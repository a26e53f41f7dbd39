package scrub

import (
	"math/bits"
	"strings"
)

// anchor is a few letters that every match of some rule contains.
type anchor struct {
	tri    uint32 // its first three letters, in the codes of the bit table
	text   string // in lower case
	kind   kind
	arg    uint16 // for kindToken the rule's shape, for kindVendor the vendor, for kindCommand the command
	lo, hi uint8  // for kindToken: how many bytes before the anchor a match may start
}

// kind says which rules to try at an anchor.
type kind uint8

const (
	kindToken    kind = iota // a token by its shape
	kindVendor               // a value after a vendor's name
	kindName                 // a value after a name like password
	kindHeader               // what follows Authorization
	kindBearer               // what follows Bearer
	kindCookie               // what follows Cookie
	kindURL                  // user:password@ after ://
	kindPEM                  // a private key's block
	kindCommand              // an argument of a command line
	kindManifest             // the data of a Kubernetes secret
	kindPhrase               // the words of a wallet's seed phrase
	kindPgpass               // a line of .pgpass, by its port
	kindCrypt                // a hash of crypt(3)
	kindQuoted               // the quoted text that follows IDENTIFIED BY
	kindSend                 // what expect sends after a prompt for a password
	kindSlashed              // user/password@host
	kindForeign              // what follows a word for password in another language
	kindLogin                // what follows a word for logging in
	kindTyped                // what a program types into another
	kindUserFlag             // what follows -p where -u named a user
	kindCall                 // an argument of a function that takes a password
)

// finder is one search of one text.
type finder struct {
	text  string
	spans []span
	work  int // bytes that matchers have read

	lastName int  // end of the last examined name, which may contain several anchors
	noEnd    bool // no END line follows
}

// The bit table has one bit for each three letters; a letter's code has codeBits bits.
const (
	codeBits = 6
	triMask  = 1<<(3*codeBits) - 1
)

// scan reads the text once. If matchers have read some 24 times its length, the rest is redacted
// as a whole: such a text is slow on purpose (an anchor every few bytes, each before a long run).
// Real texts need two times.
func (f *finder) scan() {
	tri := 0
	text := f.text
	budget := 1<<17 + 24*len(text)
	for i := range len(text) {
		tri = (tri<<codeBits | int(codes[text[i]])) & triMask
		if trigrams[tri>>6]>>(tri&63)&1 == 0 || i < 2 {
			continue
		}
		f.hit(uint32(tri), i-2)
		if f.work > budget {
			f.add(i-2, len(text), "rest", rankPlace)
			return
		}
	}
	if n := len(text); n >= 2 && foldPrefix(text[n-2:], "pw") { // the only anchor of two letters
		f.name(n-2, n)
	}
}

// hit tries the rules whose anchors begin with the three letters at i, which have a bit in the
// table.
func (f *finder) hit(tri uint32, i int) {
	before := trigrams[tri>>6] & (1<<(tri&63) - 1)
	n := int(ranks[tri>>6]) + bits.OnesCount64(before)
	for at := firsts[n]; at < firsts[n+1]; at++ {
		if a := &anchors[at]; foldPrefix(f.text[i:], a.text) {
			f.try(a, i)
		}
	}
}

func (f *finder) try(a *anchor, i int) {
	switch a.kind {
	case kindToken:
		f.token(a, i)
	case kindVendor:
		f.vendor(&vendors[a.arg], i+len(a.text))
	case kindName:
		f.name(i, i+len(a.text))
	case kindHeader:
		f.header(i, i+len(a.text))
	case kindBearer:
		f.bearer(i, i+len(a.text))
	case kindCookie:
		f.cookie(i, i+len(a.text))
	case kindURL:
		f.url(i, i+len(a.text))
	case kindPEM:
		f.pem(i, i+len(a.text))
	case kindManifest:
		f.manifest(i + len(a.text))
	case kindPhrase:
		f.phrase(i + len(a.text))
	case kindPgpass:
		f.pgpass(i, i+len(a.text))
	case kindCrypt:
		f.crypt(i)
	case kindQuoted:
		f.identified(i, i+len(a.text))
	case kindSend:
		f.sent(i, i+len(a.text))
	case kindSlashed:
		f.slashed(i+len(a.text), argumentEnd(f.text, i+len(a.text)))
	case kindForeign:
		f.foreign(i, i+len(a.text))
	case kindLogin:
		f.login(i, i+len(a.text))
	case kindUserFlag:
		f.userFlag(i, i+len(a.text))
	case kindCall:
		f.arguments(i + len(a.text))
	case kindTyped:
		f.typed(i + len(a.text))
	case kindCommand:
		f.command(&commands[a.arg], i, i+len(a.text))
	}
}

// token tries a shape wherever it may start.
func (f *finder) token(a *anchor, i int) {
	r, shape := shapeOf(int(a.arg))
	for back := int(a.hi); back >= int(a.lo); back-- {
		start := i - back
		if start < 0 {
			continue
		}
		end := match(shape, f.text, start, &f.work)
		if end >= 0 && r.accepts(f.text[start:end], f.text[end:]) {
			f.add(start, end, r.id, rankToken)
			return
		}
	}
}

// accepts reports whether v, which has a token's shape, is neither placeholder nor name. rest
// follows it.
func (r *rule) accepts(v, rest string) bool {
	called := strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "[")
	return distinct(v) >= leastDistinct(len(v)) && !slug(v) && !(r.named && (called || !hasDigit(v)))
}

func (f *finder) add(start, end int, rule string, rank int) {
	f.spans = append(f.spans, span{start, end, rule, rank})
}

// leastDistinct is the fewest different bytes in a token of n bytes, prefix included. An example
// such as "ghp_xxxxxxxx…" has fewer, and so have zeros in base64.
func leastDistinct(n int) int {
	switch {
	case n < 32:
		return 8
	case n < 48:
		return 10
	}
	return 12
}
