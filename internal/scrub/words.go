package scrub

// word is an anchor of the rules that are not tokens.
type word struct {
	text string
	kind kind
}

// words are the anchors by hand: each name that policyOf knows contains one of kindName.
var words = []word{
	{"pass", kindName}, {"pwd", kindName}, {"token", kindName}, {"secret", kindName}, {"key", kindName}, {"auth", kindName},
	{"cred", kindName}, {"jwt", kindName}, {"sig", kindName}, {"bearer", kindName},
	{"authorization", kindHeader},
	{"bearer", kindBearer},
	{"cookie", kindCookie},
	{"kind", kindManifest},
	{"://", kindURL},
	{"private key", kindPEM}, {"private-lines", kindPEM},
}
