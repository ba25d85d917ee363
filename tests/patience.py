"""How long tests wait: until something happened, or so long that it never will."""

#: Nothing that is to happen takes this long, however busy the machine is.
PATIENCE_SECONDS = 90.0
#: Deadlines that are to pass, one tried after the other: a program that should first come to some
#: point gets there before one of them, and on most machines before the first.
DEADLINES = (0.3, 3.0, 20.0)
