// The tap of a turn: turns upstream traffic into frames of its tape.

import { isSecretHeader } from '../base/secrets/names.ts'
import type { ExchangeTap, StreamTap, TurnTap } from '../core/tap.ts'
import type { Headers, RunFrame } from './frame.ts'
import type { TurnTape } from './tape-source.ts'

export function tapFor(tape: TurnTape): TurnTap {
  let exchanges = 0

  function streamTap(exchange: number): StreamTap {
    const message = (what: 'sent' | 'received') => (bytes: Uint8Array) => {
      if (tape.isOver) return false
      tape.add({ side: 'run', do: what, exchange, base64: Buffer.from(bytes).toString('base64') })
      return true
    }
    const last = (frame: RunFrame) => {
      if (!tape.isOver) tape.add(frame)
    }
    return {
      sent: message('sent'),
      received: message('received'),
      end: () => last({ side: 'run', do: 'end', exchange }),
      error: (text) => last({ side: 'run', do: 'error', exchange, message: text }),
    }
  }

  return {
    turn: tape.turn,
    exchange({ body, headers, ...asked }): ExchangeTap {
      const exchange = ++exchanges
      const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8')
      tape.add({ side: 'upstream', do: 'request', exchange, ...asked, headers: shown(headers), body: text })
      return {
        response: (status, came) =>
          tape.add({ side: 'upstream', do: 'response', exchange, status, headers: shown(came) }),
        data: (bytes) => tape.onUpstreamData(exchange, bytes),
        onReadDone: () => tape.onReadDone(),
        end: () => tape.add({ side: 'upstream', do: 'end', exchange }),
        error: (message) => tape.add({ side: 'upstream', do: 'error', exchange, message }),
      }
    },
    stream({ headers, ...opened }) {
      const exchange = ++exchanges
      tape.add({ side: 'run', do: 'open', exchange, ...opened, headers: shown(headers) })
      return streamTap(exchange)
    },
    continueStream(turn) {
      tape.continues(turn)
      return streamTap(++exchanges)
    },
    session: (state, id) => tape.add({ side: 'gateway', do: 'session', state, id }),
    markIncomplete: () => tape.markIncomplete(),
  }
}

const removed = '[removed]'

export function shown(headers: Record<string, string | string[] | undefined>): Headers {
  const out: [string, string][] = []
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue
    const text = Array.isArray(value) ? value.join(', ') : String(value)
    out.push([name, isSecretHeader(name) ? removed : text])
  }
  return Object.fromEntries(out)
}
