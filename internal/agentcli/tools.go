package agentcli

import "strings"

// ReadsOnly reports whether a tool of this name changes no file, in any of the agents. Of a tool that is not known here it says false. A
// shell may do anything: its command says what.
func ReadsOnly(tool string) bool {
	switch strings.Map(letter, tool) {
	case "read", "readfile", "readmanyfiles", "view", "viewimage", "glob", "grep", "grepsearch", "ls", "list", "listdirectory", "search", "searchfilecontent",
		"webfetch", "websearch", "fetch", "googlewebsearch", "todowrite", "todoread", "writetodos", "updateplan", "askuserquestion", "askuser", "exitplanmode",
		"enterplanmode", "skill", "notebookread", "bashoutput", "killshell", "taskoutput", "taskcreate", "taskupdate", "tasklist", "taskget", "toolsearch",
		"agent", "task", "readbash", "stopbash", "reportintent", "savememory":
		return true
	}
	return false
}

// letter drops what spellings of a name differ in.
func letter(r rune) rune {
	switch {
	case 'A' <= r && r <= 'Z':
		return r + 'a' - 'A'
	case r == '_' || r == '-' || r == ' ':
		return -1
	}
	return r
}
