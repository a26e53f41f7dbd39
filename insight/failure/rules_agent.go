package failure

import "aburn/trace"

var (
	shellOnly = []trace.ToolType{trace.ShellTool}
	eventOnly = []trace.ToolType{notCall}
	editOnly  = []trace.ToolType{trace.EditTool}
)

// rateLimits are the sentences of providers and services for too many requests and for used-up
// quotas.
var rateLimits = []string{"rate limit*", "rate-limit*", "rate_limit*", "ratelimit*", "too many requests", "toomanyrequests", "usage limit", "usage_limit*",
	"quota exceeded", "quota_exceeded", "exceeded your…quota", "insufficient_quota", "resource_exhausted", "resource has been exhausted",
	"credit balance is too low", "out of credits", "insufficient credits",
	"billing hard limit", "throttlingexception", "throttled", "pull rate", "secondary rate", "spending limit", "limit exceeded for", "requests per minute",
	"tokens per minute", "hit your limit", "reached your…limit"}

// agentRules know the sentences of agents about a call, and of providers about a turn.
var agentRules = []rule{
	{class: Permission, says: []string{"requested permissions to", "permission to use…has been denied", "needs approval", "requires approval",
		"the user doesn't want to proceed",
		"user rejected", "rejected by user", "user did not allow tool call", "tool execution denied by policy", "tool execution blocked",
		"blocked by pretooluse hook", "pretooluse:*",
		"approval policy is never", "blocked by policy", "policy forbids", "rejected: policy", "hook declined", "[remote rejected]", "path not in workspace",
		"outside the allowed workspace", "outside of the workspace", "outside the project directory",
		"was blocked. for security", "rejected permission to use", "permission rejected", "don't ask mode", "in plan mode", "sandbox denied*",
		"denied by sandbox", "blocked by the sandbox"}},
	{class: ToolMisuse, says: []string{"inputvalidationerror", "no such tool available", "unsupported call:", "unsupported custom tool call:",
		"failed to parse function arguments", "failed to parse arguments", "was called with invalid arguments",
		"arguments provided to the tool are invalid", "unavailable tool", "must have required property", "params must be*", "params must have*",
		"must not have additional properties", "file has not been read yet", "must read the file", "you must read file", "read it first before",
		"old_string and new_string are exactly the same", "oldstring and newstring are identical", "oldstring and newstring must be different",
		"no changes to make:", "no changes to apply", "is unavailable in default mode", "`justification` requires", "exceeds maximum allowed tokens",
		"exceeds maximum allowed size", "exceeds the maximum",
		"illegal operation on a directory", "mcp error -32602", "mcp error -32601", "mcp error -32600", "invalid params", "agent type…not found",
		"unknown agent type", "tool call not allowed", "cannot read binary file*", "this tool cannot read", "tool \"…not found", "tool '…not found",
		"invalid tool parameters",
		"required parameter", "unexpected parameter", "blocked: sleep", "schemaerror(", "invalid arguments for tool", "must be absolute, not relative",
		"must be an absolute path", "file path must be absolute", "offset…is beyond", "offset…out of range", "beyond the end of the file",
		"patch rejected: empty patch", "file must be a jupyter notebook", "unknown skill:", "skill \"…not found", "url must be*", "invalid url"}},
	{class: Syntax, says: []string{"invalid patch:", "invalid hunk", "is not a valid hunk header", "invalid patch text",
		"the first line of the patch must be"}},
	{class: Conflict, says: []string{"has been modified since read", "modified since it was last read", "has been unexpectedly modified",
		"has been modified externally", "changed since it was read", "modified since you last read"}},
	{class: EditMismatch, says: []string{"string to replace not found", "# matches of the string to replace", "could not find an exact match for",
		"could not find oldstring", "could not find old_string", "failed to find expected lines", "failed to find context", "invalid context at",
		"0 occurrences found", "expected # occurrence*", "patch does not apply", "patch failed:",
		"hunk ### failed", "hunk ##", "hunk failed", "hunks failed", "failed hunk*", "% out of # hunk*", "corrupt patch", "malformed patch",
		"old_string not found", "oldstring not found", "found multiple matches for", "must be unique", "occurrences of the text",
		"could not find the exact text", "search block", "no match for old", "reversed (or previously applied) patch"}},
	{class: EditMismatch, types: editOnly, says: []string{"no match", "not unique", "multiple matches", "no replacement was performed", "text not found"}},
	{class: Timeout, says: []string{"command timed out after", "exceeding timeout", "exceeded the timeout of", "mcp error -32001", "tool timed out",
		"tool call timed out", "timed out awaiting", "timed out after % m*", "timed out after % s*"}},

	// Error events. Here the text comes before the status.
	{class: RateLimit, types: eventOnly, says: rateLimits, http: []int{429, 402}},
	{class: RateLimit, codes: []int{429, 402}},
	{class: API, types: eventOnly, says: []string{"overloaded*", "context_length*", "context window", "prompt is too long", "context_window*",
		"contextoverflow*", "maximum context length", "max_output_tokens", "output token maximum", "messageoutputlength*", "invalid_request_error",
		"high demand", "context exceeds", "internal_server_error"}},
	{class: Auth, types: eventOnly, says: []string{"authentication*", "invalid api key", "invalid_api_key", "unauthorized", "permission_error",
		"providerautherror", "token expired", "expired", "login", "forbidden"}},
	{class: Auth, codes: []int{401, 403, 407}},
	{class: Timeout, codes: []int{408, 504}},
	{class: NotFound, codes: []int{404}},
	{class: Conflict, codes: []int{409}},
	{class: API, codes: []int{400, 405, 413, 415, 422, 424, 499, 500, 501, 502, 503, 520, 521, 522, 523, 524, 525, 529}},
}
