"""The program without a screen: a prompt in, words or JSON out, and programs that drive it."""
