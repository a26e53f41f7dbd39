package scrub

// vendor is a value that only the vendor's name before it reveals: "algolia_key = 3f0c…".
type vendor struct {
	name  string // in lower case, part of a longer name or beside it
	id    string
	shape string
}

// uuid is the shape of keys that look like any UUID.
const uuid = "{X8}-{X4}-{X4}-{X4}-{X12}"

var vendors = []vendor{
	{"adafruit", "adafruit", "{u32}"},
	{"adobe", "adobe", "{X32}"},
	{"airtable", "airtable", "{a17}"},
	{"algolia", "algolia", "{a32}"},
	{"alibaba", "alibaba", "{a30}"},
	{"asana", "asana", "{d16}"},
	{"asana", "asana", "{a32}"},
	{"atlassian", "atlassian", "{a20}{X4}"},
	{"confluence", "atlassian", "{a20}{X4}"},
	{"jira", "atlassian", "{a20}{X4}"},
	{"beamer", "beamer", "b_{e44}"},
	{"bitbucket", "bitbucket", "{a32}"},
	{"bitbucket", "bitbucket", "{e64}"},
	{"bittrex", "bittrex", "{a32}"},
	{"meraki", "meraki", "{x40}"},
	{"cloudflare", "cloudflare", "{u40}"},
	{"cloudflare", "cloudflare", "{X37}"},
	{"codecov", "codecov", "{a32}"},
	{"cohere", "cohere", "{a40}"},
	{"co_api_key", "cohere", "{a40}"},
	{"coinbase", "coinbase", "{u64}"},
	{"confluent", "confluent", "{a16}"},
	{"confluent", "confluent", "{a64}"},
	{"contentful", "contentful", "{e43}"},
	{"datadog", "datadog", "{a40}"},
	{"datadog", "datadog", "{X32}"},
	{"discord", "discord", "{X64}"},
	{"discord", "discord", "{d17,20}"},
	{"discord", "discord", "{e32}"},
	{"discord", "discord", "{u23,28}.{u6}.{u27,}"},
	{"dnkey", "definednet", "dnkey-{e26}-{e52}"},
	{"droneci", "droneci", "{a32}"},
	{"dropbox", "dropbox", "{a15}"},
	{"dropbox", "dropbox", "{a11}AAAAAAAAAA{e43}"},
	{"dropbox", "dropbox", "sl.{e135}"},
	{"etsy", "etsy", "{a24}"},
	{"facebook", "facebook", "{X32}"},
	{"facebook", "facebook", "{d15,16}|{u27,40}"},
	{"facebook", "facebook", "{d15,16}%{u27,40}"},
	{"fastly", "fastly", "{e32}"},
	{"finicity", "finicity", "{X32}"},
	{"finicity", "finicity", "{a20}"},
	{"finnhub", "finnhub", "{a20}"},
	{"flickr", "flickr", "{a32}"},
	{"freshbooks", "freshbooks", "{a64}"},
	{"gitter", "gitter", "{u40}"},
	{"gocardless", "gocardless", "live_{e40}"},
	{"heroku", "heroku", uuid},
	{"hubspot", "hubspot", uuid},
	{"intercom", "intercom", "{e60}"},
	{"jfrog", "jfrog", "{a73}"},
	{"jfrog", "jfrog", "{a64}"},
	{"artifactory", "jfrog", "{a73}"},
	{"artifactory", "jfrog", "{a64}"},
	{"bintray", "jfrog", "{a73}"},
	{"bintray", "jfrog", "{a64}"},
	{"xray", "jfrog", "{a73}"},
	{"xray", "jfrog", "{a64}"},
	{"kraken", "kraken", "{s80,90}"},
	{"kucoin", "kucoin", "{X24}"},
	{"kucoin", "kucoin", uuid},
	{"launchdarkly", "launchdarkly", "{e40}"},
	{"linear", "linear", "{X32}"},
	{"linkedin", "linkedin", "{a14}"},
	{"linkedin", "linkedin", "{a16}"},
	{"linked_in", "linkedin", "{a14}"},
	{"linked_in", "linkedin", "{a16}"},
	{"linked-in", "linkedin", "{a14}"},
	{"linked-in", "linkedin", "{a16}"},
	{"mailchimp", "mailchimp", "{X32}-us{d2}"},
	{"mailgun", "mailgun", "key-{X32}"},
	{"mailgun", "mailgun", "pubkey-{X32}"},
	{"mailgun", "mailgun", "{a32}-{a8}-{a8}"},
	{"mapbox", "mapbox", "pk.{a60}.{a22}"},
	{"mattermost", "mattermost", "{a26}"},
	{"messagebird", "messagebird", "{a25}"},
	{"messagebird", "messagebird", uuid},
	{"message_bird", "messagebird", "{a25}"},
	{"message_bird", "messagebird", uuid},
	{"message-bird", "messagebird", "{a25}"},
	{"message-bird", "messagebird", uuid},
	{"netlify", "netlify", "{e40,46}"},
	{"new-relic", "newrelic", "{a64}"},
	{"newrelic", "newrelic", "{a64}"},
	{"new_relic", "newrelic", "{a64}"},
	{"nytimes", "nytimes", "{e32}"},
	{"newyorktimes", "nytimes", "{e32}"},
	{"new-york-times", "nytimes", "{e32}"},
	{"okta", "okta", "00{e40}"},
	{"plaid", "plaid", "{a24}"},
	{"plaid", "plaid", "{a30}"},
	{"privateai", "privateai", "{a32}"},
	{"private_ai", "privateai", "{a32}"},
	{"private-ai", "privateai", "{a32}"},
	{"rapidapi", "rapidapi", "{u50}"},
	{"sendbird", "sendbird", uuid},
	{"sendbird", "sendbird", "{X40}"},
	{"sentry", "sentry", "{X64}"},
	{"contribsys__com", "sidekiq", "{X8}:{X8}"},
	{"snyk", "snyk", uuid},
	{"sonar", "sonar", "{e40}"},
	{"sourcegraph", "sourcegraph", "{X40}"},
	{"squarespace", "squarespace", uuid},
	{"sumo", "sumologic", "su{a12}"},
	{"sumo", "sumologic", "{a64}"},
	{"travis", "travis", "{a22}"},
	{"twitch", "twitch", "{a30}"},
	{"twitter", "twitter", "{a45}"},
	{"twitter", "twitter", "{d15,25}-{a20,40}"},
	{"twitter", "twitter", "{a25}"},
	{"twitter", "twitter", "{a50}"},
	{"yandex", "yandex", "YC{u38}"},
	{"zendesk", "zendesk", "{a40}"},
}

// The reach of a vendor's name, in bytes: to the operator, and from there to the value.
const (
	reachOp    = 23
	reachValue = 5
)

// vendor looks for the value of v after its name, which ends at i.
func (f *finder) vendor(v *vendor, i int) {
	s := f.text
	op := i
	for op < len(s) && op < i+reachOp && (wordAt(s, op) || isBetween(s[op])) {
		op++
	}
	f.work += op - i
	if op == len(s) || !isOperator(s[op]) {
		return
	}
	start := op + 1
	for start < len(s) && start <= op+reachValue && (isBetween(s[start]) || isOperator(s[start])) {
		start++
	}
	for ; start > op; start-- { // the value may begin with characters that also precede values
		end := match(v.shape, s, start, &f.work)
		if end >= 0 && !goesOn(s, end) && f.vendorSecret(s[start:end], i-len(v.name), op) {
			f.add(start, end, v.id, rankName)
			return
		}
	}
}

// goesOn reports whether the byte at i continues the name that ends there.
func goesOn(s string, i int) bool {
	return wordAt(s, i) || i < len(s) && (s[i] == '-' || s[i] == '.' && wordAt(s, i+1))
}

// vendorSecret judges the value of a vendor's name, which stands from start to the operator at
// op.
func (f *finder) vendorSecret(v string, start, op int) bool {
	return hasDigit(v) && distinct(v) >= 5 && !slug(v) && (!hash(v) || f.sensitive(start, op))
}

// isBetween reports whether b may stand between a name and its value, beside the operator.
func isBetween(b byte) bool {
	switch b {
	case ' ', '\t', '\n', '\r', '.', '-', '"', '\'', '`', ']', ')':
		return true
	}
	return false
}

func isOperator(b byte) bool {
	switch b {
	case '=', ':', '>', ',', '|', '?':
		return true
	}
	return false
}

// sensitive reports whether the words of a name around start and end speak of a secret.
func (f *finder) sensitive(start, end int) bool {
	for i := max(0, start-24); i < end; i++ {
		for _, word := range [...]string{"key", "token", "secret", "auth", "pass", "api", "cred", "client", "login", "_id", "sdk"} {
			if foldPrefix(f.text[i:end], word) {
				return true
			}
		}
	}
	return false
}
