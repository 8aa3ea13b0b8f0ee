"""`averment serve`: what averment does, over HTTP, in the shapes that OpenAI's clients speak.

`app` puts the rest together. The modules here import FastAPI and its kin at their top, so whoever
imports them has the extra [server]; nothing below this room does, and the command line imports it
inside of its command.
"""
