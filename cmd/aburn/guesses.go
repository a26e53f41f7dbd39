package main

import "strings"

// guess is the words that newcomers type first for a question, and the commands that answer it.
type guess struct{ words, commands string }

// guesses are what an unknown command may have meant. testdata/script/questions.txtar asks them.
func guesses() []guess {
	return []guess{
		{"spend spent spending usage money bill price prices budget", "aburn cost today  # what you spent today"},
		{"expensive dearest", "aburn cost sessions  # the dearest first"},
		{"stats statistics", "aburn cost  # what your sessions cost\naburn log stats  # events of this project, and what hooks cost"},
		{"errors error failed failures failing problems",
			"aburn report  # what goes wrong most\naburn sessions --outcome failed  # which sessions failed"},
		{"last conversation transcript chat history read cat open view", "aburn show  # what was said in the last session"},
		{"logs events record recorded", "aburn show  # what was said in the last session\naburn tail  # the newest events of this project"},
		{"find grep rg", "aburn search WORDS  # finds words in all conversations"},
		{"waiting waits wait asks inbox todo", "aburn status  # what runs, and what waits for you"},
		{"watch monitor live agents running now", "aburn top  # all agents, live\naburn web  # the same in your browser"},
		{"stuck loops loop looping alerts issues", "aburn supervisor  # what is stuck, looping or silent"},
		{"uninstall remove disable off", "aburn uninstall-hooks  # removes the hooks"},
		{"install setup enable on hooks", "aburn install-hooks  # records agents as they work"},
		{"check test health", "aburn doctor  # whether recording works"},
		{"continue reopen fork", "aburn show SESSION  # its head has the command that continues it\naburn handoff SESSION  # a briefing for another agent"},
		{"brief briefing summary summarize summarise handover", "aburn handoff SESSION  # what a session leaves to whoever continues it"},
		{"restore restart", "aburn resume  # restarts workers that stopped\naburn show SESSION  # its head has the command that continues it"},
		{"subagents sub-agents subagent tree", "aburn sessions --subagents  # also lists sub-agents\naburn graph  # who started whom"},
		{"files changes changed edits", "aburn show SESSION  # what was said, with the changes\naburn diff WORKER  # what a worker changed"},
		{"run start new agent task exec launch", "aburn spawn TASK  # starts an agent on a task, in a worktree of its own"},
		{"list ls all", "aburn ps  # your workers\naburn sessions  # the sessions of all agents"},
		{"take accept apply approve land", "aburn merge WORKER  # takes a worker's commits"},
		{"stop cancel end abort terminate", "aburn kill WORKER  # ends a worker\naburn daemon stop  # stops the supervision of workers"},
		{"clean prune rm delete gc", "aburn cleanup  # removes the worktrees of workers that ended"},
		{"rules mistakes lesson learn advice tips", "aburn lessons  # rules for your agents, from what keeps going wrong"},
		{"ci pipeline", "aburn verify --json  # whether the project's log is whole\naburn report --json  # what goes wrong most"},
		{"api json server sdk", "aburn mcp  # serves agents over MCP; every answer also has --json"},
		{"ui browser gui serve page", "aburn web  # everything, in your browser"},
		{"update upgrade", "aburn version  # which version this is"},
	}
}

// guessesOf are the commands that answer what a word asks, none if nobody knows.
func guessesOf(word string) []string {
	for _, g := range guesses() {
		for w := range strings.FieldsSeq(g.words) {
			if w == strings.ToLower(word) {
				return strings.Split(g.commands, "\n")
			}
		}
	}
	return nil
}
