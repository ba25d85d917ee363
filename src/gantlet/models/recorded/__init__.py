"""A model's replies on a cassette: recorded once, played as often as you like."""

from gantlet.models.recorded.recorder import RecordingModel
from gantlet.models.recorded.replayer import ReplayingModel

__all__ = ["RecordingModel", "ReplayingModel"]
