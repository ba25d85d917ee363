#!/bin/sh
# PostToolUse and PostToolUseFailure: keep a line of JSON for every call, for whoever asks later.
umask 077
tr -d '\n' >> "$CLAUDE_PROJECT_DIR/.claude/calls.jsonl"
echo >> "$CLAUDE_PROJECT_DIR/.claude/calls.jsonl"
