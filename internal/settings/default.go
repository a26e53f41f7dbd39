package settings

// Default returns the project's settings file as `aburn init` writes it: the data keys that
// people change, with their defaults. It leaves out long lists and the numbers of each type of
// issue, which docs/reference/settings.md lists.
func Default() []byte { return []byte(initial) }

const initial = `{
  "//": "Settings of this project for aburn. Data only: what agents are given is set in your own ~/.config/aburn/settings.json, which also goes before this file. There are more keys: see docs/reference/settings.md.",
  "log": {
    "//": "rotate the log at this size, keep this much of it, and sync none, durable (ends of commands and phases) or all entries",
    "rotate": "16MiB",
    "keep": "512MiB",
    "sync": "durable"
  },
  "workflow": {
    "//": "the commands, each after the one before it, and the phases of a command; one with ? may be skipped",
    "commands": ["ideate", "plan", "build", "ship"],
    "phases": ["RED", "GREEN", "REFACTOR?"]
  },
  "timeouts": {
    "//": "how long a phase may take before it counts as stuck",
    "RED": "10m",
    "GREEN": "5m",
    "REFACTOR": "3m",
    "default": "5m"
  },
  "supervisor": {
    "//": "the confidence above which an issue is queued for the agent or suggested to you, when the same one may be repeated, and types of issues that are not looked for",
    "queue_above": 0.9,
    "suggest_above": 0.7,
    "cooldown": "30m",
    "off": []
  },
  "watch": {
    "//": "how long aburn supervisor watch stays when nothing lives any more",
    "linger": "10m"
  }
}
`
