"""The shapes that all protocols share, each defined once. JSON out and in, OpenAPI and stored rows come from them.

A case is what is to be judged. An opinion is one judge's parsed reply before any rule is applied. A verdict is the
result of applying the rules to opinions. A failure is a judgment that did not succeed; it never has a score.
"""
