"""A model's replies on a cassette: recorded once, played as often as you like."""

from gantlet.models.recorded.recorder import RecordingModel
from gantlet.models.recorded.replayer import ReplayingModel
from gantlet.models.recorded.writer import CassetteWriter

__all__ = ["CassetteWriter", "RecordingModel", "ReplayingModel"]
