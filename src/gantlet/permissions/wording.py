"""What a model reads after a no, four texts for four situations."""

from gantlet.permissions.asking import No
from gantlet.tool import AgentIdentity

REJECTED = "The user said no to this call. Stop here, and wait for what the user says next."
REJECTED_WITH_WORDS = "The user said no to this call, and wrote:"
SUBAGENT_REJECTED = (
    "The user said no to this call. Try another way, or report to whoever started you what could"
    " not be done."
)
SUBAGENT_REJECTED_WITH_WORDS = "The user said no to this call of a sub-agent, and wrote:"


def rejection(no: No, agent: AgentIdentity) -> str:
    """Return what the model reads: by whether words came with the no, and who had asked."""
    if agent.is_main:
        return f"{REJECTED_WITH_WORDS} {no.words}" if no.words else REJECTED
    return f"{SUBAGENT_REJECTED_WITH_WORDS} {no.words}" if no.words else SUBAGENT_REJECTED
