// The frames of one side, one line each. A click shows the content, decoded and raw.

import { useState } from 'preact/hooks'
import type { FrameView } from '../api.ts'
import { duration } from './format.ts'
import { JsonTree } from './json-tree.tsx'
import { decodedOf } from './request.ts'

const step = 200

const arrows: Record<string, string> = {
  'client request': '→',
  'client response': '←',
  'client write': '←',
  'upstream request': '→',
  'upstream response': '←',
  'upstream data': '←',
  'run sent': '→',
  'run received': '←',
}

export function Frames({ frames }: { frames: readonly FrameView[] }) {
  const [most, setMost] = useState(step)
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set())
  if (frames.length === 0) return <p class="muted">No frames.</p>
  const toggle = (number: number) => {
    const next = new Set(open)
    if (!next.delete(number)) next.add(number)
    setOpen(next)
  }
  return (
    <>
      <ol class="frames">
        {frames.slice(0, most).map((frame) => (
          <li key={frame.number} class={frame.side}>
            <button
              type="button"
              class="frame"
              aria-expanded={open.has(frame.number)}
              onClick={() => toggle(frame.number)}
            >
              <span class="number at">{duration(frame.at)}</span>
              <span class="arrow" aria-hidden="true">
                {arrows[`${frame.side} ${frame.do}`] ?? '·'}
              </span>
              <span class="do">
                {frame.side === 'gateway' ? 'gateway ' : ''}
                {frame.do}
              </span>
              <span class="label">{frame.label}</span>
            </button>
            {open.has(frame.number) ? <Content frame={frame} /> : null}
          </li>
        ))}
      </ol>
      {frames.length > most ? (
        <button type="button" class="more" onClick={() => setMost(most + step)}>
          Show {Math.min(step, frames.length - most)} more of {frames.length - most}
        </button>
      ) : null}
    </>
  )
}

function Content({ frame }: { frame: FrameView }) {
  const { decoded, raw, isHex } = frame
  const [isRaw, setRaw] = useState(decoded === undefined)
  if (decoded === undefined && raw === undefined) return <p class="content muted">No content.</p>
  return (
    <div class="content">
      {raw !== undefined && decoded !== undefined ? (
        <button type="button" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
          As on the wire
        </button>
      ) : null}
      {isRaw && raw !== undefined ? (
        <Raw text={isHex ? hexDump(raw) : raw} />
      ) : (
        <JsonTree value={decodedOf(frame)} isOpen />
      )}
    </div>
  )
}

const longestRaw = 20_000

function Raw({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(text.length <= longestRaw)
  return (
    <>
      <pre>{isWhole ? text : text.slice(0, longestRaw)}</pre>
      {isWhole ? null : (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString('en')} characters
        </button>
      )}
    </>
  )
}

/** Sixteen bytes per line: offset, hex digits, printable characters. */
function hexDump(digits: string): string {
  const lines: string[] = []
  for (let at = 0; at < digits.length; at += 32) {
    const pairs = digits.slice(at, at + 32).match(/../g) ?? []
    const shown = pairs.map((pair) => {
      const code = Number.parseInt(pair, 16)
      return code >= 32 && code < 127 ? String.fromCharCode(code) : '.'
    })
    lines.push(`${(at / 2).toString(16).padStart(6, '0')}  ${pairs.join(' ').padEnd(47)}  ${shown.join('')}`)
  }
  return lines.join('\n')
}
