// Copies the request as a command or the turn's id, and exports the tape.

import { useState } from 'preact/hooks'
import type { TurnSummary } from '../api.ts'
import { asCurl } from './curl.ts'
import type { ClientRequest } from './request.ts'
import type { Store } from './store.ts'

interface ActionsProps {
  turn: TurnSummary
  request: ClientRequest | undefined
  store: Store
}

export function Actions({ turn, request, store }: ActionsProps) {
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
      <button
        type="button"
        disabled={!request}
        onClick={() => request && copy('Command', asCurl(request, location.origin))}
      >
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

async function toClipboard(text: string): Promise<void> {
  // Pages without TLS have no clipboard API, except on this machine.
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (!isCopied) throw new Error('not copied')
}

function download(content: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
