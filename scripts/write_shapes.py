"""Writes `messages/value_shapes.py`: how values of the usual shapes are filled.

A shape that is not listed here works as well; it is compiled when the fifth object of such a class
is made, which takes a tenth of a millisecond.
"""

from pathlib import Path

from gantlet.messages.value import filling

#: Those that a prompt meets on its way to the model and back, frozen or not, with or without more
#: to do after the fields are filled.
FROZEN = "a aa aaa aaaa aaaaa aaaaaa aaaaaaaa aaaf aaaaf aaafaaa aaaaafaa aaaaaaaf amm aaaaaffaaaa"
FROZEN_AND_MORE = "aa aaaa aaaaa aafffaaaaaaaaaaaaa"
OPEN = (
    "aa aaa aaaa aaaaa aaaaaa aaaaaaa aaaaaaaaa ff fff ffffffff aaaaaafaaaa aaafaafaaafff"
    " aaaaaaaaaaaafaa aaaaaaaafaaaaf"
)
OPEN_AND_MORE = "af"

HEAD = '''"""How values of the usual shapes are filled. Written by `make schemas`; see `value`."""

# mypy: ignore-errors


'''


def main() -> None:
    """Write the file again."""
    target = Path(__file__).parent.parent / "src/gantlet/messages/value_shapes.py"
    groups = (
        (FROZEN, True, False),
        (FROZEN_AND_MORE, True, True),
        (OPEN, False, False),
        (OPEN_AND_MORE, False, True),
    )
    keys: list[str] = []
    parts = [HEAD]
    for kinds, is_frozen, has_more in groups:
        for kind in kinds.split():
            name = f"{'frozen' if is_frozen else 'open'}_{kind}{'_more' if has_more else ''}"
            keys.append(f'    ("{kind}", {is_frozen}, {has_more}): {name}.__code__,\n')
            parts.append(filling(kind, name, is_frozen=is_frozen, has_more=has_more) + "\n\n\n")
    parts.append("SHAPES = {\n" + "".join(keys) + "}\n")
    target.write_text("".join(parts), encoding="utf-8")
    print(f"{target}: {len(keys)} shapes")


if __name__ == "__main__":
    main()
