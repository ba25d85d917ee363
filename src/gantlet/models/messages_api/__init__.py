"""The Messages API over HTTP: `MessagesApi(Endpoint.from_environment(...))`."""

from gantlet.models.messages_api.client import MessagesApi
from gantlet.models.messages_api.endpoint import Endpoint, KeyHeader

__all__ = ["Endpoint", "KeyHeader", "MessagesApi"]
