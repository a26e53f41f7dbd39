package rules

import (
	"slices"
	"strings"

	"aburn/instrument/edit"
	"aburn/instrument/jsast"
)

// attribute is one key that is set, and its value.
type attribute struct {
	key   string // "" where it is no constant
	value *jsast.Node
	call  *edit.Call // for those of a span's options one that only has the place
}

// attributes are all that are set: by setAttribute, setAttributes, addEvent, and in
// the options of a span.
func (p *Pair) attributes() []attribute {
	var list []attribute
	for _, c := range p.Undone().Calls {
		switch {
		case c.Method == "setAttribute" && len(c.Args) > 1:
			list = append(list, attribute{keyOf(c), c.Args[1], c})
		case c.Method == "setAttributes" && len(c.Args) > 0:
			list = append(list, members(c.Args[0], c)...)
		case c.Method == "addEvent" && len(c.Args) > 1:
			list = append(list, members(c.Args[1], c)...)
		}
	}
	for _, s := range p.Undone().Spans {
		if s.Options == nil {
			continue
		}
		for _, o := range s.Options.List("properties") {
			if key := o.Child("key"); key != nil && key.Text("name") == "attributes" {
				list = append(list, members(o.Child("value"), &edit.Call{Node: s.Call, On: s.Tracer, Span: s, New: s.New})...)
			}
		}
	}
	return list
}

func members(object *jsast.Node, c *edit.Call) []attribute {
	if object.Type != "ObjectExpression" {
		return []attribute{{"", object, c}}
	}
	var list []attribute
	for _, o := range object.List("properties") {
		switch key := o.Child("key"); {
		case o.Type == "SpreadElement":
			list = append(list, attribute{"", o, c})
		case o.Is("computed"):
			name, _ := text(key)
			list = append(list, attribute{name, o.Child("value"), c})
		default:
			list = append(list, attribute{key.Text("name"), o.Child("value"), c})
		}
	}
	return list
}

// personalNames are last parts of keys that mean personal data or a secret, whatever
// stands before them.
var personalNames = strings.Fields(`email email_address e_mail mail_address phone phone_number telephone mobile_number password passwd passphrase secret
	token access_token refresh_token id_token api_key apikey authorization cookie credit_card card_number cardnumber cvv cvc iban ssn
	social_security_number passport passport_number tax_id date_of_birth birth_date birthdate birthday dob first_name last_name full_name firstname
	lastname fullname surname given_name family_name maiden_name street street_address home_address postal_address billing_address shipping_address
	username user_name gender ethnicity religion salary credit_card_number bank_account account_number private_key credential credentials
	auth_token session_token bearer_token jwt client_secret`)

// personalPairs are two last parts that do: file.name is not one, user.name is.
var personalPairs = strings.Fields(`user.name customer.name person.name patient.name employee.name member.name contact.name client.name owner.name
	author.name account.name recipient.name sender.name user.address customer.address person.address user.ip client.ip user.location patient.id`)

// conversations are attributes that hold what was said to a model, or what it said.
var conversations = strings.Fields(`gen_ai.prompt gen_ai.completion gen_ai.input.messages gen_ai.output.messages gen_ai.system_instructions
	gen_ai.tool.call.arguments gen_ai.tool.call.result llm.prompts llm.completions llm.input_messages llm.output_messages input.value output.value`)

// saidNames are names by which code calls what is said to a model.
var saidNames = []string{"prompt", "prompts", "messages", "systemprompt", "completion", "completions"}

// isConversation says whether an attribute holds text of a conversation with a model.
func isConversation(a attribute) bool {
	path := strings.ToLower(jsast.Path(a.value))
	return slices.Contains(conversations, a.key) || path != "" && slices.Contains(saidNames, path[strings.LastIndexByte(path, '.')+1:])
}

func isPersonal(key string) bool {
	parts := strings.Split(strings.ToLower(key), ".")
	last := snake(parts[len(parts)-1], key)
	if slices.Contains(personalNames, last) || slices.Contains(personalNames, parts[len(parts)-1]) {
		return true
	}
	return len(parts) > 1 && slices.Contains(personalPairs, parts[len(parts)-2]+"."+parts[len(parts)-1])
}

// snake writes the last part of a key such as user.firstName as first_name.
func snake(last, key string) string {
	key = key[strings.LastIndexByte(key, '.')+1:]
	var b strings.Builder
	for i, r := range key {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

func personal(p *Pair) []found {
	var list []found
	told := map[int]bool{} // calls
	for _, a := range p.attributes() {
		value := a.value
		switch {
		case isPersonal(a.key):
			told[a.call.Node.Start] = true
			list = append(list, at(a.call.Node.Start, "%s is personal data, or a secret", a.key))
			continue
		case isConversation(a):
			told[a.call.Node.Start] = true
			list = append(list, at(value.Start, "%s is text of a conversation with a model", excerpt(p.New, value)))
			continue
		case p.wholeObject(a):
			told[a.call.Node.Start] = true
			list = append(list, at(value.Start, "%s is a whole object", excerpt(p.New, value)))
			continue
		}
		if what := p.doubtful(a); what != "" {
			f := at(value.Start, "%s", what)
			f.severity = Advisory
			list = append(list, f)
		}
	}
	for _, e := range p.Undone().Exprs {
		if e.Call == nil && !e.Data || e.Call != nil && told[e.Call.Node.Start] {
			continue
		}
		if n := p.environment(e.Node); n != nil {
			list = append(list, at(n.Start, "%s reads the environment of the process, where secrets stand", excerpt(p.New, e.Node)))
		}
	}
	return list
}

// environment is what in an expression reads the variables or the arguments of the
// process, or could; nil for nothing. A variable of the project that holds them is not seen.
func (p *Pair) environment(n *jsast.Node) (reads *jsast.Node) {
	secret := []string{"env", "argv", "execArgv"}
	jsast.Walk(n, func(n *jsast.Node, above []*jsast.Node) bool {
		if reads != nil || n.Type != "Identifier" {
			return reads == nil
		}
		name, process := n.Text("name"), false
		if p.New.Scopes.Lookup(n.Start, name) == nil {
			if process = name == "process"; slices.Contains([]string{"globalThis", "global"}, name) {
				reads = n
			}
		} else if imported := p.ofProcess(name); imported != "" {
			if process = imported == "default" || imported == "*"; slices.Contains(secret, imported) {
				reads = n
			}
		}
		if process && (len(above) == 0 || !isMemberOf(above[len(above)-1], n) || above[len(above)-1].Is("computed") ||
			slices.Contains(secret, property(above[len(above)-1]))) {
			reads = n
		}
		return true
	})
	return reads
}

func isMemberOf(n, object *jsast.Node) bool {
	return n.Type == "MemberExpression" && n.Child("object") == object
}

// ofProcess is what a name is in node's module process; "" where it is not of it.
func (p *Pair) ofProcess(name string) string {
	for _, i := range p.New.Imports {
		if i.Local == name && (i.Module == "process" || i.Module == "node:process") {
			return i.Imported
		}
	}
	return ""
}

var requestParts = []string{"req", "request", "res", "response", "ctx", "req.body", "req.headers", "req.query", "req.params", "request.body", "request.headers",
	"ctx.request", "ctx.request.body", "process.env"}

// objectNames are names by which nobody calls a plain value.
var objectNames = strings.Fields(`order customer payload body options config context item product cart record entity props invoice params opts settings`)

// wholeObject says whether a value is an object with all that is in it: one that is
// written out, spread or turned into JSON, or a name whose members the function reads.
func (p *Pair) wholeObject(a attribute) bool {
	n := a.value
	if a.call.Method == "setAttributes" && len(a.call.Args) > 0 && n == a.call.Args[0] {
		return n.Type == "Identifier" || n.Type == "MemberExpression"
	}
	switch n.Type {
	case "SpreadElement":
		return n.Child("argument").Type != "ObjectExpression"
	case "ObjectExpression", "ThisExpression":
		return true
	case "CallExpression":
		args := n.List("arguments")
		if jsast.Path(n.Child("callee")) != "JSON.stringify" || len(args) == 0 {
			return false
		}
		return args[0].Type != "ArrayExpression" && args[0].Type != "Literal"
	case "Identifier", "MemberExpression":
		path := jsast.Path(n)
		return slices.Contains(requestParts, path) || slices.Contains(objectNames, path) || p.hasMembers(a.call, path)
	}
	return false
}

// ofPlainValues are members that strings, numbers and arrays have too.
var ofPlainValues = strings.Fields(`length toString valueOf toFixed toPrecision toLocaleString at charAt charCodeAt codePointAt concat endsWith every filter
	find findIndex flat flatMap forEach includes indexOf join keys lastIndexOf localeCompare map match matchAll normalize padEnd padStart pop push reduce
	repeat replace replaceAll reverse search shift slice some sort splice split startsWith substring substr toLowerCase toUpperCase trim trimEnd
	trimStart unshift values entries fill`)

// hasMembers says whether the function reads members of a path that only objects have.
func (p *Pair) hasMembers(c *edit.Call, path string) bool {
	if path == "" || c.New == nil {
		return false
	}
	has := false
	jsast.Walk(c.New, func(n *jsast.Node, _ []*jsast.Node) bool {
		if n.Type == "MemberExpression" && jsast.Path(n.Child("object")) == path && !p.inAddition(n.Range) {
			name := property(n)
			has = has || name != "" && !slices.Contains(ofPlainValues, name)
		}
		if n.Type == "VariableDeclarator" && n.Child("id").Type == "ObjectPattern" && jsast.Path(n.Child("init")) == path {
			has = true
		}
		return !has
	})
	return has
}

// doubtful tells of paths of files, and of optional values without a guard.
func (p *Pair) doubtful(a attribute) string {
	n := a.value
	path := jsast.Path(n)
	last := strings.ToLower(path[strings.LastIndexByte(path, '.')+1:])
	if slices.Contains([]string{"path", "filepath", "file_path", "filename", "dirname", "__dirname", "__filename", "cwd"}, last) {
		return path + " is a path, which may hold a user's name"
	}
	if n.Type == "ChainExpression" && len(a.call.Guards) == 0 {
		return excerpt(p.New, n) + " may be undefined, and no guard tests it"
	}
	return ""
}
