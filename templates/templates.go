// Package templates holds what aburn gives to prompts and agents: the slash commands and skills of the workflow, the
// logging guide for the authors of others, the plugins around them, and the lists of events that hooks subscribe to.
package templates
