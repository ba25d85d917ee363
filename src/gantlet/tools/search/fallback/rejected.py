"""A query that makes no sense."""


class RejectedError(ValueError):
    """The query was rejected; the message says why."""
