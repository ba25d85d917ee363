"""Token counts: what was not reported is not zero."""

from gantlet.messages import FrozenDict, Usage


def test_the_usage_of_two_requests_adds_up() -> None:
    one = Usage(10, 5, cache_read_input_tokens=7)
    other = Usage(1, 2)

    assert one.added(other) == Usage(11, 7, None, 7)


def test_numbers_that_only_the_api_knows_add_up_too() -> None:
    one = Usage(extra=FrozenDict(server_tool_use={"web_search_requests": 1}, seconds=1.5, tier="a"))
    other = Usage(
        extra=FrozenDict(server_tool_use={"web_search_requests": 2, "x": 1}, seconds=2, tier="b")
    )

    assert one.added(other) == Usage(
        extra=FrozenDict(server_tool_use={"web_search_requests": 3, "x": 1}, seconds=3.5, tier="b")
    )


def test_flags_are_not_added() -> None:
    one, other = Usage(extra=FrozenDict(fast=True)), Usage(extra=FrozenDict(fast=True))

    assert one.added(other).extra["fast"] is True


def test_a_later_report_about_the_same_request_overwrites_only_what_it_reports() -> None:
    first = Usage(10, 1, 0, 7, FrozenDict(tier="standard"))
    later = Usage(output_tokens=90, cache_read_input_tokens=0, extra=FrozenDict(x=1))

    assert first.updated(later) == Usage(10, 90, 0, 0, FrozenDict(tier="standard", x=1))


def test_the_total_counts_what_was_not_reported_as_nothing() -> None:
    assert Usage(10, 5, cache_read_input_tokens=7).total_tokens == 22
