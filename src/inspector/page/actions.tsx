// Copies the request as a command or the turn's id, and exports the tape.

import { useState } from 'preact/hooks'
import type { TurnSummary } from '../api.ts'
import { toClipboard } from './clipboard.ts'
import { asCurl } from './curl.ts'
import { clientRequest } from './request.ts'
import type { Store } from './store.ts'

interface ActionsProps {
  turn: TurnSummary
  store: Store
}

export function Actions({ turn, store }: ActionsProps) {
  const [said, setSaid] = useState('')
  const say = (words: string) => {
    setSaid(words)
    setTimeout(() => setSaid(''), 2_500)
  }
  const copy = async (what: string, text: string) => {
    await toClipboard(text).then(
      () => say(`${what} copied`),
      () => say('The browser refused to copy'),
    )
  }
  /** The frames of a long turn are large: they are loaded on demand. */
  const copyRequest = async () => {
    const detail = await store.detail(turn.id).catch(() => undefined)
    const request = detail && detail !== 'gone' ? clientRequest(detail.frames) : undefined
    if (request) await copy('Command', asCurl(request, location.origin))
    else say('The request is not kept')
  }
  const save = () =>
    store.tape(turn.id).then(
      (tape) => {
        download(tape, `${turn.id}.jsonl`)
        say('Tape saved')
      },
      () => say('The tape is no longer in memory'),
    )
  return (
    <div class="actions">
      <span class="said" role="status">
        {said}
      </span>
      <button type="button" onClick={copyRequest}>
        Copy as curl
      </button>
      <button type="button" onClick={save}>
        Export tape
      </button>
      <button type="button" onClick={() => copy('Id', turn.id)}>
        Copy id
      </button>
    </div>
  )
}

export function download(content: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
