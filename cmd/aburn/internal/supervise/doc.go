// Package supervise is the commands that judge a project's work and keep its queue of advice.
package supervise
