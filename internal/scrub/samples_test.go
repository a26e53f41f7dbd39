package scrub

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
	"testing"
)

// sample is one shape of a secret as its vendor or a scanner documents it, as an expression to draw from. Where the
// secret is a part of what is drawn, it stands in the brackets. Expressions are written so that no scanner takes this
// file for a leak.
type sample struct{ name, expr string }

// wellKnown names a shape for each rule in the default configuration of gitleaks 8 (docs/formats/scrubbing.md), and some more.
func wellKnown() []sample {
	uuid := `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`
	b := `[A-Za-z0-9_-]`
	return []sample{
		{"1password-secret-key", `A[3]-[A-Z0-9]{6}-([A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}`},
		{"1password-service-account", `op[s]_eyJ[a-zA-Z0-9+/]{250,300}={0,3}`},
		{"adafruit", `adafruit_io_key = "([a-z0-9_-]{32})"`},
		{"adobe-id", `adobe_client: "([a-f0-9]{32})"`},
		{"adobe-id", `ADOBE_KEY=([a-f0-9]{32})`},
		{"adobe-secret", `p[8]e-[a-zA-Z0-9]{32}`},
		{"age", `AGE-SECRET-KEY-[1][QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}`},
		{"airtable", `airtable.api_key: ([a-z0-9]{17})`},
		{"airtable-pat", `pa[t][a-zA-Z0-9]{14}\.[a-f0-9]{64}`},
		{"algolia", `ALGOLIA_KEY=([a-z0-9]{32})`},
		{"alibaba-id", `LTA[I][a-zA-Z0-9]{20}`},
		{"alibaba", `alibaba_secret = '([a-z0-9]{30})'`},
		{"anthropic", `sk-an[t]-(?:api03|admin01|oat01)-[a-zA-Z0-9_-]{93}AA`},
		{"artifactory", `AKC[p][A-Za-z0-9]{69}`},
		{"artifactory-ref", `cmVm[d][A-Za-z0-9]{59}`},
		{"asana-id", `asana_client = ([0-9]{16})`},
		{"asana", `ASANA_SECRET="([a-z0-9]{32})"`},
		{"atlassian", `jira_token: ([a-z0-9]{20}[a-f0-9]{4})`},
		{"atlassian", `CONFLUENCE_TOKEN=([a-z0-9]{20}[a-f0-9]{4})`},
		{"atlassian", `ATAT[T]3[A-Za-z0-9_=-]{186}`},
		{"authress", `(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[a-z0-9+/_=-]{30,120}`},
		{"aws", `(?:A3T[A-Z0-9]|AKI[A]|ASI[A]|ABI[A]|ACC[A])[A-Z2-7]{16}`},
		{"aws-secret", `aws_secret_access_key = ([A-Za-z0-9/+]{40})`},
		{"aws-secret", `AWS_SECRET_ACCESS_KEY=([A-Za-z0-9/+]{40})`},
		{"aws-secret", `aws configure set aws_secret_access_key ([A-Za-z0-9/+]{40})`},
		{"aws-session", `AWS_SESSION_TOKEN=([A-Za-z0-9/+]{200})`},
		{"aws-bedrock", `ABS[K][A-Za-z0-9+/]{109,269}={0,2}`},
		{"azure-ad", `AZURE_CLIENT_SECRET=([a-zA-Z0-9_~.]{3}[0-9]Q~[a-zA-Z0-9_~.-]{31,34})`},
		{"azure-ad", `[a-zA-Z0-9_]{3}[0-9]Q~[a-zA-Z0-9_]{31,34}`},
		{"azure-storage", `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=([A-Za-z0-9+/]{86}==);EndpointSuffix=core.windows.net`},
		{"azure-bus", `Endpoint=sb://a.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=([A-Za-z0-9+/]{43}=)`},
		{"azure-sas", `https://a.blob.core.windows.net/c\?sv=2022-11-02&sr=c&sig=([A-Za-z0-9]{43}%3D)`},
		{"beamer", `beamer_key = "(b_[a-z0-9=_-]{44})"`},
		{"bitbucket-id", `bitbucket_key=([a-z0-9]{32})`},
		{"bitbucket", `bitbucket_secret = ([a-z0-9=_-]{64})`},
		{"bittrex", `bittrex_secret='([a-z0-9]{32})'`},
		{"braintree", `access_toke[n]\$production\$[a-z0-9]{16}\$[a-f0-9]{32}`},
		{"meraki", `Meraki_key: ([0-9a-f]{40})`},
		{"clickhouse", `4b1[d][A-Za-z0-9]{38}`},
		{"clojars", `CLOJAR[S]_[a-z0-9]{60}`},
		{"cloudflare", `CLOUDFLARE_TOKEN=([a-zA-Z0-9_-]{40})`},
		{"cloudflare-global", `cloudflare_api_key: ([a-f0-9]{37})`},
		{"cloudflare-ca", `v1\.[0]-[a-f0-9]{24}-[a-f0-9]{146}`},
		{"codecov", `codecov_token = ([a-z0-9]{32})`},
		{"codecov", `CODECOV_TOKEN: "(` + uuid + `)"`},
		{"cohere", `CO_API_KEY=([a-zA-Z0-9]{40})`},
		{"coinbase", `coinbase_key = ([a-z0-9_-]{64})`},
		{"confluent", `confluent_key: ([a-z0-9]{16})`},
		{"confluent", `confluent_secret: ([a-z0-9]{64})`},
		{"contentful", `contentful_token = "([a-z0-9=_-]{43})"`},
		{"curl-header", `curl -H "Authorization: Bearer ([\w~.+/-]{20,60})" https://x`},
		{"curl-header", `curl -H 'X-Api-Key: ([a-zA-Z0-9_]{20,40})' https://x`},
		{"curl-header", `curl --header "PRIVATE-TOKEN: ([a-zA-Z0-9_]{20,40})" https://x`},
		{"curl-user", `curl -u admin:([a-zA-Z0-9]{8,20}) https://x`},
		{"curl-user", `curl --user 'admin:([a-zA-Z0-9!%#]{8,20})' https://x`},
		{"curl-user", `curl -sS -X POST --user=bob:([a-zA-Z0-9]{8,20}) https://x`},
		{"curl-user", `curl -ubob:([a-zA-Z0-9]{8,20}) https://x`},
		{"database-password", `db_password=([a-zA-Z0-9@=!?^]{8,20})`},
		{"database-password", `DATABASE_PASSWORD='([a-zA-Z0-9:;<@=},!?^]{8,20})'`},
		{"databricks", `dap[i][a-f0-9]{32}(?:-[0-9])?`},
		{"datadog", `datadog_api_key: ([a-z0-9]{40})`},
		{"datadog", `DATADOG_API_KEY=([a-f0-9]{32})`},
		{"defined", `dnkey = "(dnke[y]-[a-z0-9=_-]{26}-[a-z0-9=_-]{52})"`},
		{"digitalocean", `do[opr]_v1_[a-f0-9]{64}`},
		{"discord", `discord_key: ([a-f0-9]{64})`},
		{"discord-id", `discord_client = "([0-9]{18})"`},
		{"discord-secret", `DISCORD_SECRET=([a-zA-Z0-9_-]{32})`},
		{"discord-bot", `DISCORD_TOKEN=([MNO][a-zA-Z0-9_-]{23}\.[a-zA-Z0-9_-]{6}\.[a-zA-Z0-9_-]{27,38})`},
		{"discord-webhook", `https://(discord.com/api/webhooks/[0-9]{18}/[a-zA-Z0-9_-]{68})`},
		{"docker", `dckr_pa[t]_[a-zA-Z0-9_-]{27}`},
		{"doppler", `d[p]\.pt\.[a-zA-Z0-9]{43}`},
		{"droneci", `droneci_token=([a-z0-9]{32})`},
		{"dropbox", `dropbox_secret = ([a-z0-9]{15})`},
		{"dropbox-long", `dropbox_token = ([a-z0-9]{11}AAAAAAAAAA[a-z0-9_=-]{43})`},
		{"dropbox-short", `dropbox: "(s[l]\.[a-z0-9=_-]{135})"`},
		{"duffel", `duffe[l]_(?:test|live)_[a-zA-Z0-9_=-]{43}`},
		{"dynatrace", `dt0c0[1]\.[A-Z0-9]{24}\.[A-Z0-9]{64}`},
		{"easypost", `EZ[AT]K[a-zA-Z0-9]{54}`},
		{"etsy", `etsy_key = ([a-z0-9]{24})`},
		{"facebook", `facebook_token = "([0-9]{15,16}\|[a-z0-9_-]{27})"`},
		{"facebook-page", `EAA[MC][a-zA-Z0-9]{100,120}`},
		{"facebook-secret", `facebook_secret: ([a-f0-9]{32})`},
		{"fastly", `FASTLY_API_TOKEN=([a-z0-9=_-]{32})`},
		{"finicity", `finicity_key=([a-f0-9]{32})`},
		{"finicity-secret", `finicity_secret = ([a-z0-9]{20})`},
		{"finnhub", `finnhub: ([a-z0-9]{20})`},
		{"flickr", `flickr_key = ([a-z0-9]{32})`},
		{"flutterwave", `FLWSEC[K]_TEST-[a-h0-9]{12}`},
		{"flutterwave", `FLWPUB[K]_TEST-[a-h0-9]{32}-X`},
		{"flutterwave", `FLWSEC[K]_TEST-[a-h0-9]{32}-X`},
		{"flyio", `f[o]1_[\w-]{43}`},
		{"flyio", `f[m](?:1[ar]|2)_[a-zA-Z0-9+/]{100,120}={0,3}`},
		{"frameio", `fio-[u]-[a-zA-Z0-9_=-]{64}`},
		{"freemius", `'secret_key' => '(sk_[a-zA-Z0-9]{29})'`},
		{"freshbooks", `freshbooks_token = ([a-z0-9]{64})`},
		{"gcp", `AIz[a][\w-]{35}`},
		{"google-oauth", `GOCSP[X]-[\w-]{28}`},
		{"google-oauth", `ya2[9]\.[\w-]{60,120}`},
		{"generic", `my_api_key = "([a-zA-Z0-9_.=-]{16,60})"`},
		{"generic", `access_token=([a-zA-Z0-9_=-]{16,60})`},
		{"generic", `client_secret: ([a-z0-9]{20,40})`},
		{"generic", `"auth_token":"([a-zA-Z0-9+/]{20,40}={0,2})"`},
		{"generic", `credentials = '([a-zA-Z0-9]{24,40})'`},
		{"generic", `creds: "([a-zA-Z0-9]{24,40})"`},
		{"generic", `ENCRYPTION_KEY=([a-f0-9]{64})`},
		{"generic", `<apiKey>([a-zA-Z0-9]{24,40})</apiKey>`},
		{"generic", `setenv\("API_TOKEN", "([a-zA-Z0-9]{24,40})"\)`},
		{"github-app", `gh[us]_[0-9a-zA-Z]{36}`},
		{"github-fine", `github_pa[t]_\w{82}`},
		{"github", `gh[por]_[0-9a-zA-Z]{36}`},
		{"gitlab-job", `glcb[t]-[0-9a-zA-Z]{1,5}_[0-9a-zA-Z_-]{20}`},
		{"gitlab", `gl(?:pat|dt|rt|ft|soat|ffct)-[0-9a-zA-Z_-]{20}`},
		{"gitlab-mail", `glim[t]-[0-9a-zA-Z_-]{25}`},
		{"gitlab-agent", `glagen[t]-[0-9a-zA-Z_-]{50}`},
		{"gitlab-oauth", `gloa[s]-[0-9a-zA-Z_-]{64}`},
		{"gitlab-routable", `glpa[t]-[0-9a-zA-Z_-]{27,60}\.[0-9a-z]{2}[0-9a-z]{7}`},
		{"gitlab-ptt", `glpt[t]-[0-9a-f]{40}`},
		{"gitlab-rrt", `GR134894[1][\w-]{20}`},
		{"gitlab-runner", `glr[t]-t[0-9]_[0-9a-zA-Z_-]{27,60}\.[0-9a-z]{9}`},
		{"gitlab-session", `_gitlab_session=([0-9a-z]{32})`},
		{"gitter", `gitter_token = ([a-z0-9_-]{40})`},
		{"gocardless", `gocardless = "(liv[e]_[a-z0-9_=-]{40})"`},
		{"grafana", `eyJrIjo[i][A-Za-z0-9]{70,120}={0,3}`},
		{"grafana-cloud", `gl[c]_[A-Za-z0-9+/]{32,100}={0,3}`},
		{"grafana-sa", `gls[a]_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}`},
		{"groq", `gs[k]_[a-zA-Z0-9]{52}`},
		{"harness", `(?:pa|sa)[t]\.[a-zA-Z0-9_-]{22}\.[a-zA-Z0-9]{24}\.[a-zA-Z0-9]{20}`},
		{"terraform", `[a-z0-9]{14}\.atlas[v]1\.[a-z0-9_=-]{60,70}`},
		{"terraform-password", `administrator_login_password = "([a-z0-9=_-]{8,20})"`},
		{"heroku", `HEROKU_API_KEY=(` + uuid + `)`},
		{"heroku-v2", `HRK[U]-AA[0-9a-zA-Z_-]{58}`},
		{"hubspot", `hubspot_key: "([0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12})"`},
		{"huggingface", `h[f]_[a-zA-Z]{34}`},
		{"huggingface-org", `api_or[g]_[a-zA-Z]{34}`},
		{"infracost", `ic[o]-[a-zA-Z0-9]{32}`},
		{"intercom", `intercom_token = ([a-z0-9=_-]{60})`},
		{"intra42", `s-s4t2(?:ud|af)-[abcdef0123456789]{64}`},
		{"jfrog", `artifactory_api_key = ([a-z0-9]{73})`},
		{"jfrog-identity", `jfrog_token: ([a-z0-9]{64})`},
		{"jwt", `e[y]J[a-zA-Z0-9]{17,60}\.e[y]J[a-zA-Z0-9_-]{17,100}\.[a-zA-Z0-9_-]{10,60}`},
		{"jwt-base64", `ZXl[K]aGJHY2lPaU[a-zA-Z0-9]{60,90}={0,2}`},
		{"kraken", `kraken_secret = ([a-z0-9/=_+-]{80,90})`},
		{"kubernetes", "kind: Secret\nmetadata:\n  name: x\ndata:\n  tls: ((?:[a-zA-Z0-9+/]{4}){10,20}[a-zA-Z0-9+/]{3}=)\n"},
		{"kucoin", `kucoin_key = ([a-f0-9]{24})`},
		{"kucoin-secret", `kucoin_secret = (` + uuid + `)`},
		{"langsmith", `lsv[2]_(?:pt|sk)_[a-z0-9]{32}_[a-z0-9]{10}`},
		{"launchdarkly", `launchdarkly_sdk = ([a-z0-9=_-]{40})`},
		{"linear", `lin_ap[i]_[a-zA-Z0-9]{40}`},
		{"linear-secret", `linear_secret = ([a-f0-9]{32})`},
		{"linkedin-id", `linkedin_id: ([a-z0-9]{14})`},
		{"linkedin", `linked-in_secret: ([a-z0-9]{16})`},
		{"lob", `lob_key = "((?:live|test)_[a-f0-9]{35})"`},
		{"lob-pub", `lob_key = "((?:live|test)_pub_[a-f0-9]{31})"`},
		{"mailchimp", `mailchimp_key = ([a-f0-9]{32}-us[0-9]{2})`},
		{"mailgun", `mailgun_key: (key-[a-f0-9]{32})`},
		{"mailgun-pub", `mailgun_key: (pubkey-[a-f0-9]{32})`},
		{"mailgun-sign", `MAILGUN_SIGNING=([a-h0-9]{32}-[a-h0-9]{8}-[a-h0-9]{8})`},
		{"mapbox", `mapbox_token = "(pk\.[a-z0-9]{60}\.[a-z0-9]{22})"`},
		{"mattermost", `mattermost_token: ([a-z0-9]{26})`},
		{"maxmind", `[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mm[k]`},
		{"messagebird", `messagebird_key = ([a-z0-9]{25})`},
		{"messagebird-id", `message_bird_client: (` + uuid + `)`},
		{"teams", `https://acme(\.webhook\.office\.com/webhookb2/` + uuid + `@` + uuid + `/IncomingWebhook/[a-z0-9]{32}/` + uuid + `)`},
		{"netlify", `netlify_token = ([a-z0-9=_-]{40,46})`},
		{"newrelic-browser", `NRJ[S]-[a-f0-9]{19}`},
		{"newrelic-insert", `NRI[I]-[a-z0-9-]{32}`},
		{"newrelic-id", `new_relic_id = ([a-z0-9]{64})`},
		{"newrelic-user", `NRA[K]-[A-Z0-9]{27}`},
		{"notion", `nt[n]_[0-9]{11}[A-Za-z0-9]{35}`},
		{"npm", `np[m]_[a-zA-Z0-9]{36}`},
		{"npmrc", `//registry.npmjs.org/:_authToken=([a-zA-Z0-9-]{36})`},
		{"nuget-config", `<add key="ClearTextPassword" value="([a-zA-Z0-9!?]{8,20})" />`},
		{"nuget", `oy[2][a-z0-9]{43}`},
		{"nytimes", `nytimes_key = ([a-z0-9=_-]{32})`},
		{"nvidia", `nvap[i]-[A-Za-z0-9_-]{64}`},
		{"octopus", `AP[I]-[A-Z0-9]{26}`},
		{"okta", `okta_token = "(00[\w=-]{40})"`},
		{"openai", `s[k]-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{74}T3Blbk[F]J[A-Za-z0-9_-]{74}`},
		{"openai-old", `s[k]-[a-zA-Z0-9]{20}T3Blbk[F]J[a-zA-Z0-9]{20}`},
		{"deepseek", `s[k]-[a-f0-9]{32}`},
		{"openrouter", `s[k]-or-v1-[a-f0-9]{64}`},
		{"openshift", `sha256[~][\w-]{43}`},
		{"perplexity", `pp[l]x-[a-zA-Z0-9]{48}`},
		{"plaid", `plaid: "(access-(?:sandbox|development|production)-` + uuid + `)"`},
		{"plaid-id", `plaid_client = ([a-z0-9]{24})`},
		{"plaid-secret", `PLAID_SECRET=([a-z0-9]{30})`},
		{"planetscale", `pscal[e]_(?:tkn|oauth|pw)_[\w=.-]{32,64}`},
		{"postman", `PMA[K]-[a-f0-9]{24}-[a-f0-9]{34}`},
		{"prefect", `pn[u]_[a-zA-Z0-9]{36}`},
		{"privateai", `private_ai_key = ([a-z0-9]{32})`},
		{"private-key", "-----BEGIN RSA PRIVATE [K]EY-----\n(?:[a-zA-Z0-9+/]{64}\n){10}[a-zA-Z0-9+/]{40}==\n-----END RSA PRIVATE [K]EY-----"},
		{"private-key-ssh", "-----BEGIN OPENSSH PRIVATE [K]EY-----\n(?:[a-zA-Z0-9+/]{70}\n){6}[a-zA-Z0-9+/]{40}\n-----END OPENSSH PRIVATE [K]EY-----"},
		{"private-key-pgp",
			"-----BEGIN PGP PRIVATE [K]EY BLOCK-----\nVersion: 1\n\n(?:[a-zA-Z0-9+/]{64}\n){6}=[a-zA-Z0-9+/]{4}\n-----END PGP PRIVATE [K]EY BLOCK-----"},
		{"pulumi", `pu[l]-[a-f0-9]{40}`},
		{"pypi", `pyp[i]-AgEIcHlwaS5vcmc[\w-]{50,200}`},
		{"rapidapi", `rapidapi_key = ([a-z0-9_-]{50})`},
		{"readme", `rdm[e]_[a-z0-9]{70}`},
		{"replicate", `r[8]_[a-zA-Z0-9]{37}`},
		{"rubygems", `rubygem[s]_[a-f0-9]{48}`},
		{"scalingo", `tk-u[s]-[\w-]{48}`},
		{"sendbird-id", `sendbird_id = (` + uuid + `)`},
		{"sendbird", `sendbird_token = ([a-f0-9]{40})`},
		{"sendgrid", `S[G]\.[a-zA-Z0-9_-]{22}\.[a-zA-Z0-9_-]{43}`},
		{"sendinblue", `xkeysi[b]-[a-f0-9]{64}-[a-zA-Z0-9]{16}`},
		{"sentry", `sentry_token = ([a-f0-9]{64})`},
		{"sentry-org", `sntry[s]_eyJpYXQiO[a-zA-Z0-9+/]{80,100}={0,2}_[a-zA-Z0-9+/]{43}`},
		{"sentry-user", `sntry[u]_[a-f0-9]{64}`},
		{"settlemint", `s[m]_[aps]at_[a-zA-Z0-9]{16}`},
		{"shippo", `shipp[o]_(?:live|test)_[a-fA-F0-9]{40}`},
		{"shopify", `shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}`},
		{"sidekiq", `BUNDLE_ENTERPRISE__CONTRIBSYS__COM=([a-f0-9]{8}:[a-f0-9]{8})`},
		{"sidekiq-url", `https://[a-f0-9]{8}:([a-f0-9]{8})@gems.contribsys.com/`},
		{"slack-app", `xap[p]-[0-9]-[A-Z0-9]{10,12}-[0-9]{10,13}-[a-z0-9]{64}`},
		{"slack-bot", `xox[b]-[0-9]{10,13}-[0-9]{10,13}-[a-zA-Z0-9]{24}`},
		{"slack-config", `xoxe\.xox[bp]-[0-9]-[A-Z0-9]{163,166}`},
		{"slack-refresh", `xox[e]-[0-9]-[A-Z0-9]{146}`},
		{"slack-legacy", `xox[os]-[0-9]{10}-[0-9]{10}-[0-9]{10}-[a-f0-9]{10,32}`},
		{"slack-workspace", `xox[ar]-[0-9]-[0-9a-zA-Z]{8,48}`},
		{"slack-user", `xox[pe](?:-[0-9]{10,13}){3}-[a-zA-Z0-9-]{28,34}`},
		{"slack-webhook", `(hooks\.slack\.com/services/T[A-Z0-9]{8,10}/B[A-Z0-9]{8,10}/[a-zA-Z0-9]{24})`},
		{"snyk", `snyk_token = (` + uuid + `)`},
		{"sonar", `sonar_token = ([a-z0-9=_-]{40})`},
		{"sonarqube", `sq[pua]_[a-f0-9]{40}`},
		{"sourcegraph", `sg[p]_(?:[a-f0-9]{16}|local)_[a-f0-9]{40}`},
		{"sourcegraph", `sourcegraph_token = ([a-f0-9]{40})`},
		{"square", `sq[0]atp-[\w-]{22}`},
		{"square", `EAA[A][\w-]{60}`},
		{"squarespace", `squarespace_key = (` + uuid + `)`},
		{"stripe", `[sr][k]_(?:test|live|prod)_[a-zA-Z0-9]{24,99}`},
		{"supabase", `sb[p]_[a-f0-9]{40}`},
		{"sumologic-id", `sumo_id = "(su[a-zA-Z0-9]{12})"`},
		{"sumologic", `SUMO_KEY=([a-z0-9]{64})`},
		{"tailscale", `tske[y]-auth-[a-zA-Z0-9]{12}-[a-zA-Z0-9]{32}`},
		{"telegram", `telegram_token = ([0-9]{8,10}:A[a-zA-Z0-9_-]{34})`},
		{"telegram-url", `https://api.telegram.org/bot([0-9]{8,10}:A[a-zA-Z0-9_-]{34})/sendMessage`},
		{"travis", `travis_token = ([a-z0-9]{22})`},
		{"twilio", `S[K][0-9a-fA-F]{32}`},
		{"twitch", `twitch_secret = ([a-z0-9]{30})`},
		{"twitter-secret", `twitter_access = ([a-z0-9]{45})`},
		{"twitter-token", `twitter_token = ([0-9]{15,25}-[a-zA-Z0-9]{20,40})`},
		{"twitter-key", `twitter_key = ([a-z0-9]{25})`},
		{"twitter-api-secret", `twitter_secret = ([a-z0-9]{50})`},
		{"twitter-bearer", `twitter_bearer = (A{22}[a-zA-Z0-9]{80,100})`},
		{"typeform", `tf[p]_[a-z0-9_.=-]{59}`},
		{"vault-batch", `hv[b]\.[\w-]{138,300}`},
		{"vault", `hv[s]\.[\w-]{90,120}`},
		{"vault-old", `s\.[a-zA-Z0-9]{24}`},
		{"xai", `xa[i]-[a-zA-Z0-9]{80}`},
		{"yandex", `yandex_token = "(t1\.[A-Za-z0-9_-]{20}\.[A-Za-z0-9_-]{86})"`},
		{"yandex-key", `AQV[N][A-Za-z0-9_-]{35,38}`},
		{"yandex-aws", `yandex_key = (YC[a-zA-Z0-9_-]{38})`},
		{"zendesk", `zendesk_secret = ([a-z0-9]{40})`},
		{"url", `postgres(?:ql)?://app:([a-zA-Z0-9!$%&*_-]{6,20})@db.internal:5432/app`},
		{"url", `mongodb\+srv://u:([a-zA-Z0-9]{6,20})@c0.mongodb.net/x`},
		{"url", `redis://:([a-zA-Z0-9]{6,20})@localhost:6379/0`},
		{"url", `https://oauth2:([a-zA-Z0-9_-]{20,30})@gitlab.example.com/a/b.git`},
		{"url", `amqp://guest:(p@[a-z]{6,20})@mq`},
		{"url-query", `https://x.example/v1\?access_token=([a-zA-Z0-9]{20,40})&x=1`},
		{"dsn", `jdbc:mysql://db/app\?user=root&password=([a-zA-Z0-9]{6,20})`},
		{"dsn", `Server=db;User Id=sa;Password=([a-zA-Z0-9!]{6,20});Encrypt=true`},
		{"env", `export DB_PASS=([a-z0-9]{6,12})`},
		{"env", `PGPASSWORD=([a-z0-9!@]{4,12}) psql -h db`},
		{"env", `docker run -e MYSQL_ROOT_PASSWORD=([a-z0-9]{4,12}) mysql`},
		{"yaml", "db:\n  host: x\n  password: ([a-z]{8,12})\n  port: 1\n"},
		{"shell", `PASSWORD=([a-z]{3,6}\\ [a-z0-9]{3,6}\\[$][a-z]{3,6}) ls`},
		{"digits", `API_KEY=([0-9]{20})`},
		{"ldap", `userPassword: '(\{SSHA\}[A-Za-z0-9]{32})'`},
		{"aws-secret", `AWS_SECRET_ACCESS_KEY=(/[A-Za-z0-9]{12}/[A-Za-z0-9+]{26})`},
		{"yaml", `password: ([a-z]{3,6}[0-9]{2,4}[a-z]{1,3})`},
		{"json", `{"user":"bob","password":"([a-zA-Z0-9]{4,12})"}`},
		{"flag", `tool --password ([a-z0-9]{6,12}) --verbose`},
		{"flag", `tool --api-key=([a-zA-Z0-9]{16,32})`},
		{"flag", `gh auth login --token ([a-zA-Z0-9]{20,32})`},
		{"argument", `sshpass -p ([a-zA-Z0-9]{6,12}) ssh host`},
		{"argument", `mysql -u root -p([a-zA-Z0-9]{6,12}) db`},
		{"argument", `redis-cli -h x -a ([a-zA-Z0-9]{6,12}) ping`},
		{"argument", `docker login -u bob -p ([a-zA-Z0-9]{6,12}) r.io`},
		{"argument", `openssl enc -aes-256-cbc -pass pass:([a-zA-Z0-9]{6,12}) -in x`},
		{"header", `Authorization: Basic ([a-zA-Z0-9]{12,40}==)`},
		{"header", `"Authorization": "token ([a-f0-9]{40})"`},
		{"header", `-H 'Authorization: Digest (username="bob", realm="x", nonce="[a-f0-9]{20}", response="[a-f0-9]{32}")'`},
		{"header", `Proxy-Authorization: Bearer (` + b + `{20,40})`},
		{"cookie", `curl -H 'Cookie: (session=[a-zA-Z0-9]{20}; a=b)' https://x`},
		{"netrc", `machine api.example.com login bob password ([a-zA-Z0-9]{8,16})`},
		{"crypt", `password = '(\$6\$[a-z0-9]{8}\$[a-zA-Z0-9./]{86})'`},
		{"prose", `my password is ([a-z]{5,8}[A-Z][0-9][a-z]{2,6})`},
		{"prose", `the password for the staging box is ([a-z]{5,8}[A-Z][0-9][a-z]{2,6}), try that`},
		{"prose", `log in as bob with password ([a-z]{5,8}[A-Z][0-9][a-z]{2,6}) and go on`},
		{"prose", `please set the root password to ([a-z]{4,8}[!#%][0-9]{2,4})\.`},
		{"prose", `the token is ([a-zA-Z0-9]{20,32})`},
		{"cookie", `curl -b 'session=([a-zA-Z0-9]{16,32})' https://x`},
		{"cookie", `curl -sS --cookie "theme=dark; sid=([a-zA-Z0-9]{16,32})" https://x`},
		{"mnemonic", `wallet import --mnemonic '([a-z]{4,8}(?: [a-z]{4,8}){11})'`},
		{"mnemonic", `MNEMONIC="([a-z]{4,8}(?: [a-z]{4,8}){23})" npx hardhat test`},
		{"mnemonic", `mnemonic: ([a-z]{4,8}(?: [a-z]{4,8}){11})`},
		{"mnemonic", `the seed phrase is ([a-z]{4,8}(?: [a-z]{4,8}){11})`},
		{"pgpass", `echo "db.internal:5432:shop:app:([a-zA-Z0-9!]{6,20})" >> ~/.pgpass`},
		{"pgpass", "localhost:5433:[*]:postgres:([a-zA-Z0-9!]{6,20})\n"},
		{"pgpass", `[*]:[*]:[*]:app:([a-zA-Z0-9!]{6,20})`},
		{"from-literal", `kubectl create secret generic db --from-literal=dsn=([a-zA-Z0-9]{6,20})`},
		{"from-literal", `kubectl -n prod create secret generic db --from-literal 'license=([a-zA-Z0-9]{6,20})' --dry-run=client`},
		{"vault-kv", `vault kv put secret/shop dsn=([a-zA-Z0-9]{6,20})`},
		{"vault-kv", `vault kv patch -mount=secret shop user=app pin=([a-zA-Z0-9]{6,20})`},
		{"secrets-set", `fly secrets set DSN=([a-zA-Z0-9]{6,20}) -a shop`},
		{"secrets-set", `flyctl secrets set MODE=live 'SALT=([a-zA-Z0-9]{6,20})'`},
		{"gh-secret", `gh secret set DSN -b ([a-zA-Z0-9]{6,20})`},
		{"gh-secret", `gh secret set DSN --repo a/b --body "([a-zA-Z0-9]{6,20})"`},
		{"gh-secret", `gh secret set DSN --body=([a-zA-Z0-9]{6,20})`},
		{"openssl-k", `openssl enc -aes-256-cbc -k ([a-zA-Z0-9]{6,20}) -in a -out b`},
		{"ssh-keygen", `ssh-keygen -t ed25519 -N ([a-zA-Z0-9]{6,20}) -f id`},
		{"ssh-keygen", `ssh-keygen -p -P "([a-zA-Z0-9]{6,20})" -N "" -f id`},
		{"7z", `7z a -p([a-zA-Z0-9]{6,20}) out.7z dist`},
		{"7z", `7za x -y '-p([a-zA-Z0-9]{6,20})' out.7z`},
		{"7z", `7zz a -mhe=on -p"([a-zA-Z0-9]{6,20})" out.7z`},
		{"sqlcmd", `sqlcmd -S db1 -U sa -P ([a-zA-Z0-9]{6,20}) -Q "select 1"`},
		{"sqlcmd", `/opt/mssql-tools/bin/sqlcmd -S db1 -U sa -P'([a-zA-Z0-9]{6,20})' -C`},
		{"htpasswd", `htpasswd -b .htpasswd bob ([a-zA-Z0-9]{6,20})`},
		{"htpasswd", `htpasswd -cbB -C 12 .htpasswd bob ([a-zA-Z0-9]{6,20})`},
		{"htpasswd", `htpasswd -nb bob ([a-zA-Z0-9]{6,20})`},
		{"ansible-vault", `ansible-vault encrypt_string '([a-zA-Z0-9]{6,20})' --name db`},
		{"ansible-vault", `ansible-vault encrypt_string --vault-id dev@pw.txt --name db '([a-zA-Z0-9]{6,20})'`},
		{"sudo-S", `echo ([a-zA-Z0-9]{6,20}) [|] sudo -S apt-get install -y jq`},
		{"sudo-S", `printf '%s\\n' "([a-zA-Z0-9]{6,20})" [|] sudo -k -S id`},
		{"sudo-S", `sudo -S id <<< ([a-zA-Z0-9]{6,20})`},
		{"docker-secret", `echo ([a-zA-Z0-9]{6,20}) [|] docker secret create dsn -`},
		{"docker-secret", `printf "([a-zA-Z0-9]{6,20})" [|] docker secret create --label a=b dsn -`},
		{"password-stdin", `echo "([a-zA-Z0-9]{6,20})" [|] docker login -u bob --password-stdin r.io`},
		{"with-token", `echo ([a-zA-Z0-9]{12,20}) [|] gh auth login --with-token`},
	}
}

// drawn is a text that an expression matches, and the secret in it.
type drawn struct{ text, secret string }

// draw makes a text that re matches. What the secret is made of has a digit and a letter, as all but very few have.
func draw(rnd *rand.Rand, expr string) drawn {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		panic(err)
	}
	for tries := 0; ; tries++ {
		var b strings.Builder
		from, to := -1, -1
		write(rnd, &b, re, &from, &to)
		d := drawn{text: b.String(), secret: b.String()}
		if from >= 0 {
			d.secret = d.text[from:to]
		}
		if tries == 50 || hasDigit(d.secret) && hasLetter(d.secret) || allIn(d.secret, setDigit) {
			return d
		}
	}
}

func write(rnd *rand.Rand, b *strings.Builder, re *syntax.Regexp, from, to *int) {
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		total := 0
		for i := 0; i < len(re.Rune); i += 2 {
			total += int(re.Rune[i+1]-re.Rune[i]) + 1
		}
		n := rnd.IntN(total)
		for i := 0; i < len(re.Rune); i += 2 {
			if size := int(re.Rune[i+1]-re.Rune[i]) + 1; n < size {
				b.WriteRune(re.Rune[i] + rune(n))
				break
			} else {
				n -= size
			}
		}
	case syntax.OpCapture:
		*from = b.Len()
		write(rnd, b, re.Sub[0], from, to)
		*to = b.Len()
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			write(rnd, b, sub, from, to)
		}
	case syntax.OpAlternate:
		write(rnd, b, re.Sub[rnd.IntN(len(re.Sub))], from, to)
	case syntax.OpRepeat:
		for range re.Min + rnd.IntN(re.Max-re.Min+1) {
			write(rnd, b, re.Sub[0], from, to)
		}
	case syntax.OpQuest:
		if rnd.IntN(2) == 1 {
			write(rnd, b, re.Sub[0], from, to)
		}
	case syntax.OpAnyCharNotNL:
		b.WriteByte('.')
	default:
		panic(re.String())
	}
}

func TestWellKnownShapes(t *testing.T) {
	for _, s := range wellKnown() {
		rnd := rand.New(rand.NewPCG(1, 2))
		for range 20 {
			d := draw(rnd, s.expr)
			out, n := Text(d.text)
			if left := leak(out, d.secret); left != "" || n == 0 {
				t.Errorf("%s: %q stays in %q of %q", s.name, left, out, d.text)
				break
			}
		}
	}
}

// leak is a stretch of a secret that stands in out; of long secrets one of 8 bytes will do.
func leak(out, secret string) string {
	for i := strings.Index(out, markOpen); i >= 0; i = strings.Index(out, markOpen) {
		out = out[:i] + "\x00" + out[i+max(1, markerLen(out[i:])):]
	}
	n := min(8, len(secret))
	for i := 0; i+n <= len(secret); i++ {
		if part := secret[i : i+n]; strings.Contains(out, part) && distinct(part) > 4 {
			return part
		}
	}
	if strings.Contains(out, secret) {
		return secret
	}
	return ""
}
