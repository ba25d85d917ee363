"""What an agent's parts say: to whoever hears what happens, and to the prompt that runs."""

from gantlet.assembly.agent_parts import AgentParts
from gantlet.assembly.current_run import CurrentRun
from gantlet.assembly.files import FILES_HEAR, SessionFiles
from gantlet.execution import Mailbox
from gantlet.loop import Conversation
from gantlet.messages import Event, Notice, NoticeLevel


class AgentVoice:
    """How the parts of an agent reach others. It is there before they are.

    Attributes:
        mailbox: Where events go that somebody reads as a stream, while one is read.
    """

    def __init__(self, parts: AgentParts, current: CurrentRun) -> None:
        self.mailbox: Mailbox | None = None
        self._session = parts.session
        self._listener = parts.listener
        self._current = current
        self._files: SessionFiles | None = None
        self._conversation: Conversation | None = None

    def join(self, files: SessionFiles, conversation: Conversation) -> None:
        """Reach the files and the conversation from now on."""
        self._files, self._conversation = files, conversation

    def emit(self, event: Event) -> None:
        """Write an event down where that is wanted; hand it to whoever reads the stream."""
        if self._session is not None:
            self._session.heard(event)
        if type(event) in FILES_HEAR and self._files is not None:
            self._files.hear(event)
        if self._listener is not None:
            self._listener(event)
        if self.mailbox is not None:
            self.mailbox.put(event)

    def is_heard(self) -> bool:
        """Return whether anybody hears what is told of a reply and its calls."""
        told = (self._session, self._listener, self.mailbox)
        return any(ear is not None for ear in told)

    def wake(self, text: str) -> None:
        """Have the model read what a hook in the background found, at once or with what follows."""
        if self._current.loop is not None:
            self._current.loop.wake(text)
        elif self._conversation is not None:
            self._conversation.reminders.append(text)

    def interrupt(self) -> None:
        """Stop the prompt that runs."""
        self._current.interrupt()

    def warn(self, text: str) -> None:
        """Tell the user that something is wrong beside the conversation."""
        self.emit(Notice(NoticeLevel.WARNING, text))
