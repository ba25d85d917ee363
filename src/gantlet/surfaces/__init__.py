"""How a person or a program talks to us. The only room that draws."""
