"""A frozen encyclopaedia to search in, shared by HotpotQA and FEVER: pages, sessions, scoring, a corpus of our own."""
