// The body of a request that could not be read as JSON, as it came.

import { size } from './format.ts'
import type { ClientRequest } from './request.ts'

/** Characters before and after the place where reading failed. */
const around = 2_000

export function UnreadBody({ request, message }: { request: ClientRequest; message: string }) {
  const { body, bodyCut } = request
  if (isJson(body)) return null
  const place = Number(/at character (\d+)/.exec(message)?.[1] ?? Number.NaN)
  const at = Number.isNaN(place) || place > body.length ? undefined : place
  const from = Math.max(0, (at ?? 0) - around)
  const to = (at ?? 0) + around
  const bytes = new Blob([body]).size
  return (
    <section class="unread">
      <h3>Body as received</h3>
      <p class="muted">
        {body === ''
          ? 'Nothing of it was read.'
          : `${size(bytes)}${bodyCut ? ' of it; the rest was not kept' : ''}`}
        {from > 0 || to < body.length ? `; characters ${from} to ${Math.min(to, body.length)} are shown` : ''}
      </p>
      {body === '' ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by the keyboard
        <pre tabIndex={0} dir="auto">
          {shown(body.slice(from, at ?? to))}
          {at === undefined ? null : <mark>{shown(body[at] ?? '') || 'the end'}</mark>}
          {at === undefined ? null : shown(body.slice(at + 1, to))}
        </pre>
      )}
    </section>
  )
}

/** Control and bidi characters would hide or reorder what is shown. */
const shown = (text: string) =>
  text.replace(
    /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`,
  )

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
