"""The program without a screen: a prompt in, words or JSON out, and programs that drive it."""

#: What programs that drive us take us for; they refuse older ones.
COMPATIBLE_VERSION = "2.1.300"
