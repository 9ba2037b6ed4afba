import { expect, it } from 'vitest'
import { htmlToText } from './html-text.ts'

it.each([
  ['<p>one</p><p>two</p>', 'one\n\ntwo'],
  [
    '<html><head><title>A &amp; B</title><style>x{}</style></head><body><h1>Hi</h1>there</body>',
    'A & B\n\nHi\nthere',
  ],
  ['a<script>if (a</b/) alert("</p>")</script>b', 'ab'],
  ['a<SCRIPT src=x>evil</Script >b', 'ab'],
  ['a<!-- <b>no</b> -->b', 'ab'],
  ['<ul><li>one<li>two</ul>', '- one\n- two'],
  ['<pre>if (a)\n    b()\n</pre>   after', 'if (a)\n    b()\n\n after'],
  ['a   b\n\n c', 'a b c'],
  ['1 < 2 && 3 > 2', '1 < 2 && 3 > 2'],
  ['&lt;b&gt; &#65;&#x42; &nope; &#0; &#xd800; &constructor;', '<b> AB &nope; \ufffd \ufffd &constructor;'],
  ['<table><tr><td>a<td>b</tr></table>', 'a b'],
  ['never closed <b', 'never closed'],
  ['before<script>hidden', 'before'],
  ['', ''],
])('%j', (html, text) => {
  expect(htmlToText(html)).toBe(text)
})

it.each(['<title', '<script>', '<', '<!--', ' ', '&#', '<pre> '])('handles a page full of %j', (part) => {
  expect(htmlToText(part.repeat(200_000)).length).toBeLessThan(2_000_000)
})
