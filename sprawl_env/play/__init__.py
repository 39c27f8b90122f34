"""Play against bots: the session, the web server and page, and play in the terminal."""
