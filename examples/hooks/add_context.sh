#!/bin/sh
# UserPromptSubmit: what is printed, the model reads beside the prompt.
cat > /dev/null
cd "$CLAUDE_PROJECT_DIR" || exit 0
git rev-parse --git-dir > /dev/null 2>&1 || exit 0
echo "Branch: $(git branch --show-current). Changed files:"
git status --short | head -n 20
