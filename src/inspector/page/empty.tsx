// A page without a turn: why, and what to do.

import type { ComponentChildren, RefObject } from 'preact'
import type { TurnedAwayCount } from '../api.ts'
import { TurnedAway } from './turned-away.tsx'

const example = (origin: string) => `curl -sN ${origin}/v1/chat/completions \\
  -H "authorization: Bearer $DRAGOMAN_KEY" \\
  -H 'content-type: application/json' -d '{
  "model": "MODEL", "stream": true,
  "messages": [{"role": "user", "content": "Read README.md"}],
  "tools": [{"type": "function", "function": {"name": "read_file",
    "parameters": {"type": "object", "required": ["path"],
      "properties": {"path": {"type": "string"}}}}}]
}'`

interface EmptyProps {
  turnedAway: readonly TurnedAwayCount[]
  heading: RefObject<HTMLHeadingElement | null>
  /** Why nothing is shown. */
  why: 'no-turns' | 'no-tapes' | 'no-match' | 'searching' | 'unknown'
  /** The turn that is not known. */
  turn?: string | undefined
  onClear(): void
  onClose(): void
}

export function Empty(props: EmptyProps) {
  const { heading, why } = props
  const [title, content] = contents[why](props)
  return (
    <div class="empty">
      <h2 ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <TurnedAway counts={props.turnedAway} />
      {content}
    </div>
  )
}

const contents: Record<EmptyProps['why'], (props: EmptyProps) => [string, ComponentChildren]> = {
  'no-match': ({ onClear }) => [
    'No turn matches the filter',
    <>
      <p>
        Words are looked for in the names of clients, models and tools, and in all content. Remove a word or a
        condition, or see all turns again (Esc in the filter does the same).
      </p>
      <button type="button" onClick={onClear}>
        Clear the filter
      </button>
    </>,
  ],
  searching: () => ['Searching…', <p key="p">The content of all turns is looked through.</p>],
  unknown: ({ turn, onClose }) => [
    'This turn is not kept',
    <>
      <p>
        <code>{turn}</code> was never seen here, newer turns needed its place, or it was cleared. A pinned
        turn stays; an exported tape can be opened with <code>dragoman inspect FILE</code>.
      </p>
      <button type="button" onClick={onClose}>
        Show the newest turn
      </button>
    </>,
  ],
  'no-tapes': () => [
    'No tapes',
    <p key="p">
      The folder has no readable .jsonl files. <code>dragoman serve --record</code> makes some.
    </p>,
  ],
  'no-turns': () => [
    'No turn yet',
    <>
      <p>Point an agent at this gateway, or send a first request. Turns appear here live.</p>
      <pre>
        <code>{example(location.origin)}</code>
      </pre>
      <p class="muted">
        In the demo MODEL is <code>demo-anthropic/claude-demo</code>, and any key will do; else{' '}
        <code>dragoman models</code> lists the models.
      </p>
    </>,
  ],
}
