// The invariants of events.ts as one checker. Every test stream of every reader, backend and door runs through it.

import { isTerminal, type TurnEvent } from '../src/core/events.ts'

type Open = { type: string; block: number; input?: string; callId?: string; name?: string }

/** Returns what is wrong with a finished turn, in the order in which it was found; empty when all is well. */
export function checkTurn(events: readonly TurnEvent[]): string[] {
  const problems: string[] = []
  let open: Open | undefined
  let next = 0
  let calls = 0
  let lane: string | undefined
  const ids = new Set<string>()

  for (const [at, event] of events.entries()) {
    const say = (problem: string) => problems.push(`event ${at} (${event.type}): ${problem}`)
    if (at === 0 && event.type !== 'turn-start' && event.type !== 'turn-error')
      say('the first must be turn-start')
    if (at > 0 && event.type === 'turn-start') say('a second turn-start')
    if (isTerminal(event) !== (at === events.length - 1)) {
      say(isTerminal(event) ? 'events follow a terminal event' : 'the turn has no terminal event')
    }
    switch (event.type) {
      case 'turn-start':
        lane = event.lane
        break
      case 'opaque': {
        if (event.lane !== lane) say(`the lane is ${lane}, not ${event.lane}`)
        const covered = events.slice(at + 1, at + 1 + event.covers)
        if (covered.length < event.covers) say('it covers more events than there are')
        if (covered.some(({ type }) => type === 'opaque' || type === 'turn-start'))
          say('it covers another opaque event, or the start')
        break
      }
      case 'text-start':
      case 'reasoning-start':
      case 'tool-call-start':
        if (open) say(`block ${open.block} is still open`)
        if (event.block !== next) say(`block ${event.block} should be number ${next}`)
        next = event.block + 1
        open = { type: event.type.replace('-start', ''), block: event.block }
        if (event.type === 'tool-call-start') {
          if (event.callId === '' || ids.has(event.callId))
            say(`call id "${event.callId}" is empty or repeated`)
          if (event.name === '') say('a call without a name')
          ids.add(event.callId)
          open = { ...open, callId: event.callId, name: event.name }
        }
        break
      case 'text-delta':
      case 'reasoning-delta':
      case 'tool-call-delta':
        if (open?.block !== event.block || open.type !== event.type.replace('-delta', '')) {
          say('a delta for a block that is not open')
        } else open.input = (open.input ?? '') + event.delta
        if (event.delta === '') say('an empty delta')
        break
      case 'text-end':
      case 'reasoning-end':
      case 'tool-call-end':
        if (open?.block !== event.block || open.type !== event.type.replace('-end', '')) {
          say('an end for a block that is not open')
        }
        if (event.type === 'tool-call-end') {
          calls++
          if (open?.input === undefined) say('a call without a delta')
          if (open?.input !== event.input) say('the deltas do not concatenate to the input')
          if (open?.callId !== event.callId || open?.name !== event.name)
            say('id or name changed within a call')
          if (!isObjectText(event.input)) say('the input is not a JSON object')
        }
        open = undefined
        break
      case 'tool-search':
      case 'web-use':
        if (open) say(`block ${open.block} is still open`)
        break
      case 'turn-end':
        if (open && open.type !== 'tool-call') say(`block ${open.block} was never closed`)
        if (open && (event.reason === 'stop' || event.reason === 'tool-calls'))
          say('a call was left open by a clean end')
        if (event.reason === 'tool-calls' && calls === 0) say('tool-calls without a call')
        if (event.reason === 'stop' && calls > 0) say('stop although there were calls')
        break
    }
  }
  if (events.length === 0) problems.push('the turn has no events')
  return problems
}

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
