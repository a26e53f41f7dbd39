// Package templates holds the texts that aburn gives to agents: the slash commands and skills of the workflow, a
// logging guide for authors of other prompts, and the plugins around them. The texts are embedded, and a user's
// command writes them, so the package imports nothing that knows sessions or settings.
//
// Each text exists once (text/*.md) and is rendered for an agent, so that the agents' versions cannot drift apart. A
// text begins with `key: value` lines up to a line `---`; its body may hold
//
//	{{args}}           what the user typed after the command's name
//	{{run: COMMAND}}   on its own line: run COMMAND and show its output before the model reads on
//	{{include: NAME}}  on its own line: text/NAME.md
//	{{name}}           the name of the command
//
// # Where to begin
//
// Of this module it imports internal/agentcli and plumbing. Begin with the texts in text/, then List and ProjectFiles.
package templates
