// Texts full of characters that JSON escapes: quotes, backslashes, line breaks, tabs. ASCII only; unicode.ts has the rest.

import type { Task } from '../task.ts'
import { verbatim } from './verbatim.ts'

const quotes = String.raw`path = "C:\new\table\report.txt"
said = 'He said: "It\'s \\ here", and left.'
regex = /^\s*(["'])(?:\\.|(?!\1).)*\1\s*$/
not a line break: \n, not a tab: \t, not a quote: \"
percent: 100%  dollar: $HOME \${HOME} $$  backtick: ${'`x`'}`

const python = String.raw`#!/usr/bin/env python3
"""Counts words. Run it as:  count.py FILE"""
import re
import sys

WORD = re.compile(r"[A-Za-z']+(?:-[A-Za-z]+)*\b")


def count(text: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for word in WORD.findall(text):
        found[word.lower()] = found.get(word.lower(), 0) + 1
    return found


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit('usage: count.py "FILE"')
    with open(sys.argv[1], encoding="utf-8") as file:
        for word, times in sorted(count(file.read()).items(), key=lambda pair: (-pair[1], pair[0])):
            print(f"{times:>6}\t{word!r}\\n" if times > 1 else f"{'':>6}\t{word}")`

// Compilers rewrite a tagged template that has this tag in it.
const json = String.raw`{
  "name": "crate \"7\"",
  "inner": "{\"path\":\"C:\\\\tmp\",\"lines\":\"a\\nb\"}",
  "empty": "",
  "list": [1, -2.50, 3e4, true, null],
  "html": "<a href=\"/x?y=1&amp;z=2\">it's</a><!-- ${'</script>'} -->"
}`

export const code: readonly Task[] = [
  verbatim(
    { id: 'code.quotes', title: 'Quotes, backslashes and text that looks like an escape', weight: 2 },
    'quotes.txt',
    quotes,
  ),
  verbatim({ id: 'code.python', title: 'A Python program, to the byte', weight: 2 }, 'count.py', python),
  verbatim({ id: 'code.json', title: 'JSON with JSON inside', weight: 3 }, 'crate.json', json),
]
