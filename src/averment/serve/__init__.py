"""What averment does, for others to call: OpenAI's way over HTTP, and as tools of agents.

`app` puts the HTTP server of `averment serve` together, `mcp` the tools of `averment mcp`. Modules
here import FastAPI or the SDK of MCP at their top, so whoever imports them has the extra [server]
or [mcp]; nothing below this room does, and the command line imports them inside of its commands.
"""
