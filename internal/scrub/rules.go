package scrub

// rule is a kind of token with a distinctive look: the name in the marker, and the shapes
// (shape.go). Shapes that differ only in the prefix are separate, because each prefix is an
// anchor. A length is a lower bound wherever the vendor may lengthen its tokens; the rest of the
// run belongs to the token anyway.
type rule struct {
	id     string // at most 18 bytes: see MaxMarker
	shapes []string
	named  bool // functions and fields have that shape too: a digit is required, and no ( or [ may follow
}

// maxShapes bounds a rule's shapes, because an anchor packs rule and shape into one number.
const maxShapes = 16

func shapeOf(arg int) (*rule, string) {
	i, n := arg/maxShapes, arg%maxShapes
	for _, group := range [...][]rule{codeRules, cloudRules, serviceRules} {
		if i < len(group) {
			return &group[i], group[i].shapes[n]
		}
		i -= len(group)
	}
	return nil, ""
}

// codeRules are tokens of code hosts, package registries and LLM providers, and generic formats.
var codeRules = []rule{
	{id: "github", shapes: []string{
		"ghp_{a36,}", "gho_{a36,}", "ghu_{a36,}", "ghs_{t36,}", "ghr_{a36,}", "github_pat_{w36,}",
	}},
	{id: "gitlab", shapes: []string{
		"glpat-{t20,}", "gldt-{u20,}", "glrt-{t20,}", "glcbt-{u20,}", "glptt-{u20,}", "glft-{u20,}", "glimt-{u20,}",
		"glagent-{u20,}", "gloas-{u20,}", "glsoat-{u20,}", "glffct-{u20,}", "glwt-{u20,}", "GR1348941{u20,}",
		"_gitlab_session={l32,}",
	}},
	{id: "bitbucket", shapes: []string{"<ATBB{e24,}", "<ATCTT3{e60,}"}},
	{id: "atlassian", shapes: []string{"<ATATT3{e60,}", "<ATSTT3{e60,}"}},
	{id: "npm", shapes: []string{"<npm_{a36,}"}},
	{id: "pypi", shapes: []string{"pypi-AgEIcHlwaS5vcmc{u50,}", "pypi-AgENdGVzdC5weXBpLm9yZ{u50,}"}},
	{id: "rubygems", shapes: []string{"<rubygems_{x48,}"}},
	{id: "clojars", shapes: []string{"CLOJARS_{a60,}", "clojars_{a60,}"}},
	{id: "nuget", shapes: []string{"<oy2{l43}>"}},
	{id: "docker", shapes: []string{"<dckr_pat_{u20,}", "<dckr_oat_{u20,}"}},
	{id: "artifactory", shapes: []string{"<AKCp{a69,}", "<cmVmd{a59,}"}},
	{id: "anthropic", shapes: []string{"<sk-ant-{u20,}"}},
	{id: "openai", shapes: []string{
		"<sk-proj-{u20,}", "<sk-svcacct-{u20,}", "<sk-admin-{u20,}", "<sk-{a20}T3BlbkFJ{a20,}", "<sk-{a48}>", "<sk-{x32}>", "<sess-{a40}>",
	}},
	{id: "openrouter", shapes: []string{"<sk-or-v1-{x32,}"}},
	{id: "langfuse", shapes: []string{"<sk-lf-{x8}-{x4}-{x4}-{x4}-{x12}"}},
	{id: "groq", shapes: []string{"<gsk_{a40,}"}},
	{id: "xai", shapes: []string{"<xai-{a40,}"}},
	{id: "huggingface", shapes: []string{"<hf_{a34,}", "<api_org_{a34,}"}},
	{id: "perplexity", shapes: []string{"<pplx-{a40,}"}},
	{id: "replicate", shapes: []string{"<r8_{a37,}"}},
	{id: "langsmith", shapes: []string{"<lsv2_pt_{l32}_{l10}", "<lsv2_sk_{l32}_{l10}", "<ls__{l32}>"}},
	{id: "nvidia", shapes: []string{"<nvapi-{u40,}"}},
	{id: "pinecone", shapes: []string{"<pcsk_{w40,}"}},
	{id: "tavily", shapes: []string{"<tvly-{u20,}"}},
	{id: "together", shapes: []string{"<tgp_v1_{u40,}"}},
	{id: "cerebras", shapes: []string{"<csk-{a40,}"}},
	{id: "fireworks", shapes: []string{"<fw_{a22,24}>"}, named: true},
	{id: "jwt", shapes: []string{"<ey{u17,}.ey{s17,}.{s10,}", "<ey{u17,}.ey{s17,}", "<ZXlK{s60,}"}},
	{id: "age", shapes: []string{"AGE-SECRET-KEY-1{U58}"}},
	{id: "1password", shapes: []string{"<A3-{U6}-{U11}-{U5}-{U5}-{U5}>", "<A3-{U6}-{U6}-{U5}-{U5}-{U5}-{U5}>", "ops_ey{s100,}"}},
	{id: "sourcegraph", shapes: []string{"<sgp_{x16}_{x40}>", "<sgp_local_{x40}>", "<sgp_{x40}>", "<slk_{x64}>"}},
	{id: "sonar", shapes: []string{"<squ_{x40}>", "<sqp_{x40}>", "<sqa_{x40}>"}},
}

// cloudRules are tokens of clouds, infrastructure and databases.
var cloudRules = []rule{
	{id: "aws", shapes: []string{
		"<AKIA{U16}>", "<ASIA{U16}>", "<ABIA{U16}>", "<ACCA{U16}>", "<A3T{U17}>", "ABSK{B100,}", "bedrock-api-key-{B30,}",
	}},
	{id: "google", shapes: []string{"<AIza{u35,}", "<GOCSPX-{u28,}", "<ya29.{u30,}", "<1//0{u30,}"}},
	{id: "azure", shapes: []string{"{q3}{d1}Q~{q31,34}", "{b76}+ASt{b6}==", "{b76}ACDb{b6}==", "{a42}AzSe{a6}>", "{u44}AzFu{u6}=="}},
	{id: "alibaba", shapes: []string{"<LTAI{a12,}"}},
	{id: "tencent", shapes: []string{"<AKID{a32}>"}},
	{id: "digitalocean", shapes: []string{"<doo_v1_{x64}", "<dop_v1_{x64}", "<dor_v1_{x64}"}},
	{id: "databricks", shapes: []string{"<dapi{x32}"}},
	{id: "heroku", shapes: []string{"<HRKU-{u36,}"}},
	{id: "fly", shapes: []string{"<fo1_{u43}", "<fm1a_{B100,}", "<fm1r_{B100,}", "<fm2_{B100,}"}},
	{id: "vercel", shapes: []string{"<vcp_{a24,}", "<vci_{a24,}", "<vca_{a24,}", "<vcr_{a24,}", "<vck_{a24,}"}},
	{id: "netlify", shapes: []string{"<nfp_{a36,}"}},
	{id: "render", shapes: []string{"<rnd_{a26,}"}},
	{id: "supabase", shapes: []string{"<sbp_{x40,}", "<sb_secret_{u20,}"}},
	{id: "planetscale", shapes: []string{"<pscale_tkn_{t32,}", "<pscale_oauth_{t32,}", "<pscale_pw_{t32,}"}},
	{id: "clickhouse", shapes: []string{"<4b1d{a38}>"}},
	{id: "cloudflare", shapes: []string{"<v1.0-{x24}-{x146}", "<cfut_{a40,}", "<cfat_{a40,}"}},
	{id: "terraform", shapes: []string{"{a14}.atlasv1.{e60,}"}},
	{id: "vault", shapes: []string{"<hvs.{u24,}", "<hvb.{u100,}", "<hvr.{u24,}"}},
	{id: "vault", shapes: []string{"<s.{a24}>"}, named: true},
	{id: "pulumi", shapes: []string{"<pul-{x40}"}},
	{id: "doppler", shapes: []string{"dp.pt.{a40,}", "dp.st.{t40,}", "dp.ct.{a40,}", "dp.sa.{a40,}", "dp.scim.{a40,}", "dp.audit.{a40,}"}},
	{id: "infisical", shapes: []string{"<st.{x8}-{x4}-{x4}-{x4}-{x12}.{x32}.{x32}"}},
	{id: "tailscale", shapes: []string{"tskey-{u16,}"}},
	{id: "openshift", shapes: []string{"sha256~{u43}"}},
	{id: "harness", shapes: []string{"pat.{u22}.{a24}.{a20}", "sat.{u22}.{a24}.{a20}"}},
	{id: "scalingo", shapes: []string{"<tk-us-{u48}"}},
	{id: "prefect", shapes: []string{"<pnu_{a36}"}},
	{id: "postman", shapes: []string{"<PMAK-{X24}-{X34}"}},
	{id: "octopus", shapes: []string{"<API-{U26}>"}},
	{id: "infracost", shapes: []string{"<ico-{a32}>"}},
	{id: "airtable", shapes: []string{"<pat{a14}.{x64}"}},
	{id: "authress", shapes: []string{
		"<sc_{a5,30}.{a4,6}.acc_{u10,32}.{s30,}", "<ext_{a5,30}.{a4,6}.acc_{u10,32}.{s30,}", "<scauth_{a5,30}.{a4,6}.acc_{u10,32}.{s30,}",
		"<authress_{a5,30}.{a4,6}.acc_{u10,32}.{s30,}", "<sc_{a5,30}.{a4,6}.acc-{u10,32}.{s30,}", "<ext_{a5,30}.{a4,6}.acc-{u10,32}.{s30,}",
		"<scauth_{a5,30}.{a4,6}.acc-{u10,32}.{s30,}", "<authress_{a5,30}.{a4,6}.acc-{u10,32}.{s30,}",
	}},
}

// serviceRules are tokens of chats, payments, mail, monitoring and other services.
var serviceRules = []rule{
	{id: "slack", shapes: []string{
		"xoxb-{u10,}", "xoxp-{u10,}", "xoxa-{u8,}", "xoxr-{u8,}", "xoxs-{u8,}", "xoxo-{u8,}", "xoxc-{u10,}", "xoxd-{s10,}",
		"xoxe-{u10,}", "xoxe.xoxb-{u20,}", "xoxe.xoxp-{u20,}", "xapp-{u20,}", "xwfp-{u20,}",
		"hooks.slack.com/services/{s30,}", "hooks.slack.com/workflows/{s30,}", "hooks.slack.com/triggers/{s30,}",
	}},
	{id: "discord", shapes: []string{"discord.com/api/webhooks/{d10,}/{u50,}", "discordapp.com/api/webhooks/{d10,}/{u50,}"}},
	{id: "teams", shapes: []string{".webhook.office.com/webhookb2/{t20,}@{x8}-{x4}-{x4}-{x4}-{x12}/IncomingWebhook/{a20,}/{u30,}"}},
	{id: "telegram", shapes: []string{"{d5,16}:A{u34}>", "api.telegram.org/bot{d5,16}:{u30,}"}},
	{id: "notion", shapes: []string{"<ntn_{a40,}"}},
	{id: "linear", shapes: []string{"lin_api_{a40,}", "lin_oauth_{a40,}"}},
	{id: "figma", shapes: []string{"<figd_{u36,}", "<figu_{u36,}"}},
	{id: "stripe", shapes: []string{
		"<sk_live_{a10,}", "<sk_test_{a10,}", "<sk_prod_{a10,}", "<rk_live_{a10,}", "<rk_test_{a10,}", "<rk_prod_{a10,}", "<whsec_{s20,}",
	}},
	{id: "square", shapes: []string{"<EAAA{u22,60}>", "<sq0atp-{u22,}", "<sq0csp-{u40,}"}},
	{id: "braintree", shapes: []string{"access_token$production${l16}${x32}", "access_token$sandbox${l16}${x32}"}},
	{id: "flutterwave", shapes: []string{"FLWSECK_TEST-{l12,}", "FLWSECK_TEST-{l32}-X", "FLWSECK-{l32}-X", "FLWPUBK_TEST-{l32}-X"}},
	{id: "shippo", shapes: []string{"<shippo_live_{X40}", "<shippo_test_{X40}"}},
	{id: "shopify", shapes: []string{"shpat_{X32}", "shpca_{X32}", "shppa_{X32}", "shpss_{X32}"}},
	{id: "duffel", shapes: []string{"duffel_test_{e43}", "duffel_live_{e43}"}},
	{id: "easypost", shapes: []string{"<EZAK{a54}>", "<EZTK{a54}>"}},
	{id: "adobe", shapes: []string{"<p8e-{a32}>"}},
	{id: "facebook", shapes: []string{"<EAAM{a100,}", "<EAAC{a100,}"}},
	{id: "twilio", shapes: []string{"SK{X32}>"}},
	{id: "sendgrid", shapes: []string{"<SG.{t60,}"}},
	{id: "brevo", shapes: []string{"<xkeysib-{x64}-{a16}", "<xsmtpsib-{x64}-{a16}"}},
	{id: "mailchimp", shapes: []string{"<{x32}-us{d1,2}>"}},
	{id: "grafana", shapes: []string{"<eyJrIjoi{a70,}", "<glc_{s32,}", "<glsa_{a32}_{X8}"}},
	{id: "newrelic", shapes: []string{"<NRAK-{U27}", "<NRII-{u32}", "<NRJS-{x19}", "<NRBR-{x19}"}},
	{id: "sentry", shapes: []string{"<sntryu_{x64}", "<sntrys_ey{s60,}"}},
	{id: "dynatrace", shapes: []string{"dt0c01.{a24}.{a64}"}},
	{id: "posthog", shapes: []string{"<phx_{a32,}"}},
	{id: "frameio", shapes: []string{"fio-u-{e64}"}},
	{id: "readme", shapes: []string{"<rdme_{l70}"}},
	{id: "typeform", shapes: []string{"<tfp_{t40,}"}},
	{id: "contentful", shapes: []string{"<CFPAT-{u40,}"}},
	{id: "mapbox", shapes: []string{"<sk.ey{u40,}.{u20,}", "<pk.ey{u40,}.{u20,}"}},
	{id: "maxmind", shapes: []string{"<{a6}_{a29}_mmk>"}},
	{id: "settlemint", shapes: []string{"<sm_aat_{a16}>", "<sm_pat_{a16}>", "<sm_sat_{a16}>"}},
	{id: "intra42", shapes: []string{"<s-s4t2ud-{x64}", "<s-s4t2af-{x64}"}},
	{id: "definednet", shapes: []string{"<dnkey-{e26}-{e52}"}},
	{id: "plaid", shapes: []string{
		"access-sandbox-{x8}-{x4}-{x4}-{x4}-{x12}", "access-development-{x8}-{x4}-{x4}-{x4}-{x12}", "access-production-{x8}-{x4}-{x4}-{x4}-{x12}",
	}},
	{id: "yandex", shapes: []string{"<AQVN{u35,38}>", "<t1.{u8,}.{e86}"}},
	{id: "lob", shapes: []string{"<live_{x35}>", "<test_{x35}>", "<live_pub_{x31}>", "<test_pub_{x31}>"}},
	{id: "dropbox", shapes: []string{"<sl.{e130,}"}},
}
