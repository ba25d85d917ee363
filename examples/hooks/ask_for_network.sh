#!/bin/sh
# PreToolUse, with an `if` for each program: a person decides about commands that use the network.
cat > /dev/null
cat <<'ANSWER'
{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask",
 "permissionDecisionReason": "This command uses the network."}}
ANSWER
