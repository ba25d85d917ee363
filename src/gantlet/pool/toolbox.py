"""The tools of a session: its pool, what was revealed, and their definitions for requests."""

from gantlet.messages.value import value
from gantlet.pool.catalog import Catalog
from gantlet.pool.deferral import Deferral, View, plan_view
from gantlet.pool.definitions import Definitions
from gantlet.pool.pool import Pool
from gantlet.system.garbage import nothing_to_collect
from gantlet.tool import Problem, RequestView


@value
class RequestTools:
    """What one request carries of the tools."""

    view: View
    tools_part: bytes

    @property
    def announcement(self) -> str:
        """The deferred tools by name, for the model."""
        return self.view.announcement


@value
class Toolbox:
    """A session's pool, its catalog of deferred tools, and what writes their definitions."""

    pool: Pool
    catalog: Catalog
    definitions: Definitions
    deferral: Deferral
    problems: tuple[Problem, ...]
    expects_mcp: bool = False

    def for_request(self, request: RequestView) -> RequestTools:
        """Plan what a request carries; tools revealed since the last one join here, all at once."""
        view = plan_view(
            self.pool,
            self.deferral,
            request.capabilities,
            self.definitions.size_of,
            self.catalog.revealed,
            expects_mcp=self.expects_mcp,
        )
        self.catalog.show(view, request)
        with nothing_to_collect():
            return RequestTools(view, self.definitions.tools_part(view, request))
