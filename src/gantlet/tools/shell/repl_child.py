"""The Python that a REPL keeps: reads code, runs it in one namespace, and says when it is done.

Run as a script of its own. Descriptor 0 brings one JSON object a line; what the code prints goes to
descriptors 1 and 2. The code itself finds an empty stdin.
"""

import ast
import json
import os
import signal
import sys
import traceback
from typing import Any


def run_code(code: str, names: dict[str, Any]) -> bool:
    """Run code; show the value of a last expression, as a prompt would. Return whether it ran."""
    try:
        tree = ast.parse(code, "<repl>")
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "<repl>", "exec"), names)
        if isinstance(last, ast.Expr):
            shown = eval(compile(ast.Expression(last.value), "<repl>", "eval"), names)
            if shown is not None:
                names["_"] = shown
                print(repr(shown))  # noqa: T201 - the code's own output
    except SystemExit as left:
        print(f"SystemExit: {left.code}; the REPL goes on.", file=sys.stderr)  # noqa: T201 - as above
        return False
    except BaseException:  # noqa: BLE001 - whatever the code raises is its result
        kind, error, trace = sys.exc_info()
        traceback.print_exception(kind, error, trace.tb_next if trace is not None else None)
        return False
    return True


def serve(mark: str) -> None:
    """Run whatever comes, until nothing comes any more."""
    orders = os.fdopen(os.dup(0), encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - for good
    names: dict[str, Any] = {"__name__": "__main__", "__builtins__": __builtins__}
    heed = signal.signal(signal.SIGINT, signal.SIG_IGN)
    while line := orders.readline():
        order = json.loads(line)
        is_good = False
        try:  # an interrupt is for the code: whoever says how it ended must not be hit
            signal.signal(signal.SIGINT, heed or signal.default_int_handler)
            is_good = run_code(order["code"], names)
            heed = signal.signal(signal.SIGINT, signal.SIG_IGN)
        except KeyboardInterrupt:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        sys.stdout.flush()
        sys.stderr.flush()
        os.write(1, f"\n{mark} {order['number']} {int(is_good)}\n".encode())


if __name__ == "__main__":
    serve(sys.argv[1])
