"""The head of a session's page: how it looks, and that it loads nothing."""

#: Filled in with `format`.
HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; \
img-src data:">
<title>{title}</title><style>
:root {{ color-scheme: light dark; --ink: #1d2129; --soft: #667085; --line: #e3e6ec;
 --paper: #ffffff; --card: #f7f8fa; --run: #2f7d5b; --wait: #c9ced8; --bad: #c2453a;
 --ask: #b7791f; --user: #2457a6; }}
@media (prefers-color-scheme: dark) {{ :root {{ --ink: #e6e8ee; --soft: #98a2b3; --line: #2b303b;
 --paper: #14171d; --card: #1b1f27; --run: #4cb38a; --wait: #414857; --bad: #e5695e;
 --ask: #e0ac4e; --user: #7aa7f0; }} }}
* {{ box-sizing: border-box }}
body {{ margin: 0; background: var(--paper); color: var(--ink);
 font: 15px/1.55 system-ui, sans-serif }}
main {{ max-width: 60rem; margin: 0 auto; padding: 2rem 1.25rem 4rem }}
h1 {{ font-size: 1.5rem; margin: 0 0 .25rem }} h2 {{ font-size: 1.05rem; margin: 2.5rem 0 .75rem }}
.facts, .small {{ color: var(--soft); font-size: .85rem }}
pre {{ white-space: pre-wrap; overflow-wrap: anywhere; margin: .35rem 0;
 font: 12.5px/1.5 ui-monospace, monospace }}
.prose {{ white-space: pre-wrap; overflow-wrap: anywhere; margin: .35rem 0 }}
.minus {{ color: var(--bad) }} .plus {{ color: var(--run) }}
.lanes {{ position: relative; background: var(--card); border: 1px solid var(--line);
 border-radius: 8px; margin: .5rem 0 .25rem; overflow: hidden }}
.lanes .bar {{ top: auto; bottom: auto; height: .5rem }}
.axis {{ display: flex; justify-content: space-between; color: var(--soft); font-size: .75rem;
 font-variant-numeric: tabular-nums }}
.after {{ color: var(--soft); font-size: .75rem; white-space: nowrap; overflow: hidden;
 text-overflow: ellipsis }}
.says {{ border-left: 3px solid var(--line); padding: .15rem 0 .15rem 1rem; margin: 1.1rem 0 }}
.user {{ border-color: var(--user) }} .who {{ font-weight: 600; font-size: .8rem;
 color: var(--soft) }}
.user .who {{ color: var(--user) }}
details {{ background: var(--card); border: 1px solid var(--line); border-radius: 8px;
 margin: .5rem 0; padding: .4rem .75rem }}
summary {{ cursor: pointer; overflow-wrap: anywhere }}
.badge {{ display: inline-block; border-radius: 99px; padding: 0 .55rem; font-size: .75rem;
 border: 1px solid currentColor; color: var(--run); margin-right: .4rem }}
.failed, .denied, .invalid, .unknown {{ color: var(--bad) }}
.cancelled, .interrupted {{ color: var(--ask) }}
.rows {{ border-top: 1px solid var(--line) }}
.row {{ display: grid; grid-template-columns: minmax(9rem, 16rem) 1fr 5rem; gap: .75rem;
 align-items: center; border-bottom: 1px solid var(--line); padding: .25rem 0; font-size: .82rem }}
.row .name {{ white-space: nowrap; overflow: hidden; text-overflow: ellipsis }}
.track {{ position: relative; height: 1.1rem; background: var(--card); border-radius: 4px }}
.bar {{ position: absolute; top: .2rem; bottom: .2rem; border-radius: 3px;
 background: var(--run); min-width: 3px }}
.bar.wait {{ background: var(--wait) }} .bar.failed, .bar.denied, .bar.invalid,
.bar.unknown {{ background: var(--bad) }}
.bar.cancelled, .bar.interrupted {{ background: var(--ask) }}
.took {{ text-align: right; color: var(--soft); font-variant-numeric: tabular-nums }}
img {{ max-width: 100%; border-radius: 6px }}
</style></head><body><main>
"""
