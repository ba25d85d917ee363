"""Lines are shown with their numbers."""

from gantlet.tool import numbered


def test_lines_are_numbered_from_where_they_stand() -> None:
    assert numbered(["a", "", "b\r", "\udcff"], 9) == "     9→a\n    10→\n    11→b\n    12→\ufffd"
