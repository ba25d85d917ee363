"""Who speaks in the model's place, a script or a cassette, or writes down what it says."""

import re
from collections.abc import Iterator
from pathlib import Path

from gantlet.messages import Model
from gantlet.messages.value import replace
from gantlet.models.recorded import CassetteWriter, RecordingModel, ReplayingModel
from gantlet.models.scripted import ScriptedModel, load_script
from gantlet.pool.deferral import SEARCH_TOOL
from gantlet.pool.setting import SETTING_VARIABLE
from gantlet.surfaces.headless.flags import Flags
from gantlet.surfaces.headless.model_choice import ModelSource
from gantlet.system import Environment, Masker

#: A task's id, perhaps below the folder of the program that has it.
_TASK = re.compile(r"(?:\b\d+-[0-9a-f]{8}/)?\bb[0-9a-f]{8}\b")


class Scripted(ModelSource):
    """A script in the model's place.

    Raises:
        UserError: It cannot be read, or is none.
    """

    def __init__(self, path: str) -> None:
        self.instead = ScriptedModel(load_script(Path(path)))


class Recorded(ModelSource):
    """A cassette on which everything is written down.

    Raises:
        UserError: It cannot be made.
    """

    def __init__(self, path: str, speaker: ModelSource) -> None:
        self.instead = speaker.instead
        self._writer = CassetteWriter(path)

    def between(self, model: Model, masker: Masker) -> Model:
        """Return a model that passes everything on and writes it down."""
        return RecordingModel(model, self._writer, masker=masker)

    def note_changing(self, name: str, text: str) -> None:
        """Have it written down with each request."""
        self._writer.changing = {**self._writer.changing, name: text}

    def close(self) -> None:
        """End the cassette."""
        self._writer.close()


class Replayed(ModelSource):
    """A cassette in the model's place.

    Raises:
        UserError: It cannot be read, or is none.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._model = ReplayingModel(path, clean=_without_task_names)
        self.name = self._model.first_model

    def between(self, model: Model, masker: Masker) -> Model:
        """Return the model that plays the cassette; the other one is never asked."""
        self._model.masker = masker
        return self._model

    def adapted(self, environment: Environment) -> Environment:
        """Return an environment that has tools searched for as they were when it was recorded.

        Where nobody says so, the address of the server does, which need not be given here.
        """
        if environment.variables.get(SETTING_VARIABLE, "").strip():
            return environment
        was_on = "true" if SEARCH_TOOL in self._model.first_tools else "false"
        return replace(environment, variables={**environment.variables, SETTING_VARIABLE: was_on})

    def note_changing(self, name: str, text: str) -> None:
        """Have it taken for what was recorded in its place."""
        self._model.changing = {**self._model.changing, name: text}

    def remarks(self) -> Iterator[str]:
        """Say what is left."""
        left = self._model.unplayed
        if left:
            were = "request was" if left == 1 else "requests were"
            yield f"{self._path}: {left} recorded {were} not made."


def _without_task_names(text: str) -> str:
    """Return a text without what tasks in the background are called, which is made up anew."""
    return _TASK.sub("<task>", text)


def open_source(flags: Flags) -> ModelSource:
    """Return who speaks in the model's place, or listens to it, as flags say.

    Raises:
        UserError: A file cannot be read, or made.
    """
    if flags.replay:
        return Replayed(flags.replay)
    speaker = Scripted(flags.script) if flags.script else ModelSource()
    return Recorded(flags.record, speaker) if flags.record else speaker
