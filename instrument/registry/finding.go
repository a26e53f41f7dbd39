package registry

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Severity is how much a finding weighs.
type Severity string

const (
	// Error makes a registry invalid.
	Error Severity = "error"
	// Warning is what Weaver tells without failing.
	Warning Severity = "warning"
	// NotJudged is what may be right or wrong: aburn cannot tell without Weaver, or
	// without a file that is not here.
	NotJudged Severity = "not-judged"
)

// Finding is what a rule found in one place of a registry.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	File     string   `json:"file"`   // relative to the registry's folder, or Weaver's own path
	Line     int      `json:"line"`   // from 1; 0 where only Weaver found it
	Column   int      `json:"column"` // characters, from 1
	Message  string   `json:"message"`
	Why      string   `json:"why"`
	Example  string   `json:"example"`
}

// Place is where something stands.
type Place struct {
	File   string
	Line   int
	Column int
}

type rule struct {
	severity     Severity
	why, example string
}

// NeedsWeaver is the rule of what only Weaver, or a missing file, can decide.
const NeedsWeaver = "NeedsWeaver"

const (
	whySpec      = "Weaver reads a registry strictly: it refuses the whole file"
	whyManifest  = "without a manifest that is accepted no version of Weaver loads the registry"
	whyStability = "readers need to know what may still change"
	likeManifest = "schema_url: https://example.com/schemas/shop/0.1.0"
	likeGroup    = "{id: span.shop.order.place, type: span, span_kind: internal, stability: development, brief: …, attributes: […]}"
	likeGroup2   = "{type: shop.order.place, kind: internal, name: {note: shop.order.place}, brief: …, stability: development, attributes: […]}"
	likeAttr     = "{id: shop.order.id, type: string, stability: development, brief: …, examples: [o-1]}"
	likeGone     = "deprecated: {reason: renamed, renamed_to: shop.order.id}"
)

// rules has every rule with what Weaver makes of it. The names are Weaver's, except
// NeedsWeaver and WeaverDiffers.
var rules = map[string]rule{
	"InvalidSemConvSpec":                     {Error, whySpec, likeGroup},
	"InvalidRegistryManifest":                {Error, whyManifest, likeManifest},
	"UnexpectedFields":                       {Warning, "Weaver ignores the key: it may belong to a newer version of the form", likeGroup2},
	"LegacyRegistryManifest":                 {Warning, "Weaver 0.22 renamed the file", "manifest.yaml"},
	"DeprecatedSyntaxInRegistryManifest":     {Warning, "one schema_url replaces the two keys", likeManifest},
	"InvalidGroupMissingType":                {Warning, "without a type nobody knows which signal it is", "type: span"},
	"InvalidGroupStability":                  {Warning, whyStability, "stability: development"},
	"InvalidSpanMissingSpanKind":             {Warning, "the kind is part of the contract", "span_kind: internal"},
	"InvalidGroupMissingExtendsOrAttributes": {Warning, "an empty group says nothing", "attributes: [{ref: shop.order.id}]"},
	"InvalidGroup":                           {Error, "the field means nothing on this type of group", likeGroup},
	"InvalidGroupDuplicateAttributeRef":      {Warning, "one of the two is without effect", "keep one"},
	"InvalidGroupUsesPrefix":                 {Warning, "prefix is on its way out", "write the whole name in id"},
	"InvalidMetric": {Error, "a metric is its name, its instrument and its unit",
		"metric_name: shop.orders, instrument: counter, unit: \"{order}\""},
	"InvalidAttribute":               {Error, "who sets an attribute has to know what it means", likeAttr},
	"InvalidAttributeWarning":        {Warning, whyStability, likeAttr},
	"InvalidExampleWarning":          {Warning, "an example says more than a type", "examples: [o-1]; of an array: examples: [[a, b]]"},
	"InvalidExampleError":            {Error, "an example of another type contradicts the type", "type: int, examples: [450]; type: double, examples: [0.5]"},
	"UnstructuredDeprecatedProperty": {Warning, "a program cannot tell what replaces it", likeGone},
	"UnresolvedAttributeRef":         {Error, "a reference takes its type from a definition", "define it: " + likeAttr},
	"UnresolvedExtendsRef":           {Error, "extends takes the attributes of another group", "extends: the id of a group of this registry or of a dependency"},
	"DuplicateGroupId":               {Warning, "two groups with one id cannot be told apart", "give each its own id"},
	"DuplicateMetricName":            {Warning, "one metric has one definition", "keep one"},
	"DuplicateGroupName":             {Warning, "one name has one definition", "keep one"},
	"DuplicateAttributeId":           {Error, "one attribute has one definition", "define it once, and write ref: in the other group"},
	"AmbiguousReference":             {Error, "two dependencies define it, and nothing says which is meant", "define it here, or leave one dependency out"},
	"IncompatibleDependencyVersions": {Error, "one schema cannot have two major versions in one registry", "use one version in all manifests"},
	"CircularDependency":             {Error, "a registry cannot stand on itself", "take one of the dependencies out"},
	NeedsWeaver: {NotJudged, "aburn judges files that are on this disk, nothing else",
		"put weaver on PATH, or a local copy of the dependency"},
	WeaverDiffers: {Warning, "aburn and Weaver should say the same: this is a mistake in aburn", "please report it with the registry"},
}

func found(name string, at Place, format string, args ...any) Finding {
	r := rules[name]
	return Finding{name, r.severity, at.File, at.Line, at.Column, cut(fmt.Sprintf(format, args...)), r.why, r.example}
}

// cut bounds a message: names in a hostile file may be as long as the file.
func cut(message string) string {
	const most = 500
	if len(message) <= most {
		return message
	}
	return strings.ToValidUTF8(message[:most], "") + "…"
}

func order(list []Finding) []Finding {
	slices.SortFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(list)
}
