#!/bin/sh
# A scripted Claude Code without a terminal, for the demo of workers. It speaks the protocol and calls the real hooks; what it
# does depends on its task.
export CLAUDE_CODE_SESSION_ID=$(basename "$(pwd)")
here=$(pwd)
hook() { printf '{"session_id":"%s","cwd":"%s",%s}' "$CLAUDE_CODE_SESSION_ID" "$here" "$1" | aburn-hook claude; }
part() { printf '%s' "$line" | sed "s/.*\"$1\":\"\\([^\"]*\\)\".*/\\1/"; }
say() { printf '{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"%s"}]}}\n' "$1"; }
commit() { git add -A && git commit -q -m "$1"; }
hook '"hook_event_name":"SessionStart","source":"startup"'
while IFS= read -r line; do
	uuid=$(part uuid) text=$(part content)
	for state in queued started; do echo "{\"type\":\"command_lifecycle\",\"command_uuid\":\"$uuid\",\"state\":\"$state\"}"; done
	hook "\"hook_event_name\":\"UserPromptSubmit\",\"prompt\":\"$text\""
	echo "{\"type\":\"user\",\"isReplay\":true,\"message\":{\"role\":\"user\",\"content\":\"$text\"}}"
	case $text in
	*'from the gates'*)
		say 'The total ignores the quantity. I mend that.'
		sed 's/total = price$/total = price * quantity/' cart.txt > new && mv new cart.txt
		commit 'cart: the total knows the quantity'
		aburn done 'the total is price times quantity' >&2 ;;
	*'fix the total'*)
		sed 's/total = 0$/total = price/' cart.txt > new && mv new cart.txt
		commit 'cart: a total'
		aburn done 'the total is right' >&2 ;;
	*'round the total'*)
		sed 's/total = 0$/total = round(price)/' cart.txt > new && mv new cart.txt
		commit 'cart: the total is rounded'
		say 'The total is rounded. I have not tried it.' ;;
	*'clean up'*)
		hook '"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"rm -r old"}'
		echo '{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"t1","input":{"command":"rm -r old"}}}'
		IFS= read -r line
		echo "$line"
		rm -r old && commit 'old is gone'
		aburn done 'the folder old is gone' >&2 ;;
	esac
	hook '"hook_event_name":"Stop"'
	echo '{"type":"result","subtype":"success","is_error":false}'
	echo "{\"type\":\"command_lifecycle\",\"command_uuid\":\"$uuid\",\"state\":\"completed\"}"
done
