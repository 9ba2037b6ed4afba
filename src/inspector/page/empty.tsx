// The empty page: how to send a first request.

import type { RefObject } from 'preact'

const example = (origin: string) => `curl -sN ${origin}/v1/chat/completions \\
  -H "authorization: Bearer $DRAGOMAN_KEY" \\
  -H 'content-type: application/json' -d '{
  "model": "MODEL", "stream": true,
  "messages": [{"role": "user", "content": "Read README.md"}],
  "tools": [{"type": "function", "function": {"name": "read_file",
    "parameters": {"type": "object", "required": ["path"],
      "properties": {"path": {"type": "string"}}}}}]
}'`

export function Empty({
  isFiltered,
  heading,
}: {
  isFiltered: boolean
  heading: RefObject<HTMLHeadingElement | null>
}) {
  if (isFiltered)
    return (
      <div class="empty">
        <h2 ref={heading} tabIndex={-1}>
          No turn matches the filter
        </h2>
        <p>Esc in the filter clears it.</p>
      </div>
    )
  return (
    <div class="empty">
      <h2 ref={heading} tabIndex={-1}>
        No turn yet
      </h2>
      <p>Point an agent at this gateway, or send a first request. Turns appear here live.</p>
      <pre>
        <code>{example(location.origin)}</code>
      </pre>
      <p class="muted">
        In the demo MODEL is <code>demo-anthropic/claude-demo</code>, and any key will do; else{' '}
        <code>dragoman models</code> lists the models.
      </p>
    </div>
  )
}
