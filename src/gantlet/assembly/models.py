"""Which model answers: one that is handed over, or the one behind an endpoint."""

from gantlet.assembly.key_helper import HelpedModel, KeyHelper
from gantlet.messages import Model
from gantlet.models.messages_api import Endpoint, MessagesApi
from gantlet.models.messages_api.variables import Variables
from gantlet.system import Environment
from gantlet.tool import UserError

DEFAULT_MODEL = "claude-sonnet-5-5"
MAX_TOKENS_VARIABLE = "CLAUDE_CODE_MAX_OUTPUT_TOKENS"


def open_model(
    model: Model | str,
    environment: Environment,
    base_url: str | None,
    api_key: str | None,
    key_helper: KeyHelper | None = None,
) -> Model:
    """Return the model: as it is, or, for a name, the endpoint the environment tells of.

    A helper is asked for the key where nobody gives one.

    Raises:
        UserError: It is neither a model nor the name of one.
    """
    if not isinstance(model, str):
        if not hasattr(model, "stream"):
            raise UserError(f"{model!r} is no model. Give a name, or an object that is one.")
        return model
    endpoint = Endpoint.from_environment(environment, base_url=base_url, api_key=api_key)
    if key_helper is not None and endpoint.api_key is None and endpoint.auth_token is None:
        return HelpedModel(endpoint, key_helper)
    return MessagesApi(endpoint)


def reply_tokens(environment: Environment) -> int:
    """Return how long the environment says that a reply may be; 0 if it does not say.

    Raises:
        UserError: What it says is no number.
    """
    return Variables(environment.variables).count(MAX_TOKENS_VARIABLE, 0)
