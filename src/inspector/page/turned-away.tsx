// Requests without a right key, host or origin: counted by reason and minute. They are no turns; nothing of them is kept. And turns
// that were too many in a second to be kept.

import type { TurnedAwayCount } from '../api.ts'
import { clock, plural } from './format.ts'
import { withCommands } from './with-commands.tsx'

type Reason = Exclude<TurnedAwayCount['reason'], 'rate'>

const reasons: Record<Reason, { name: string; remedy: string }> = {
  'no-key': {
    name: 'No key',
    remedy: "Give the client the gateway's key: `dragoman doctor` names the file that holds it.",
  },
  'wrong-key': {
    name: 'Wrong key',
    remedy: "Often it is the provider's. Clients need the gateway's: `dragoman doctor` names its file.",
  },
  host: {
    name: 'Unknown host name',
    remedy: 'Call the gateway by its address, or add the name to "allow.hosts".',
  },
  origin: {
    name: 'From a web page',
    remedy: 'Add the page’s origin to "allow.origins", if you trust every script on it.',
  },
  login: {
    name: 'Inspector without login',
    remedy: '`dragoman inspect` prints a new link.',
  },
  peer: {
    name: 'Not another instance',
    remedy: 'Instances need the same "sessions.peerSecret".',
  },
}

const mostMinutes = 12

export function TurnedAway({ counts: all }: { counts: readonly TurnedAwayCount[] }) {
  const isOfReason = (one: TurnedAwayCount): one is ReasonCount => one.reason !== 'rate'
  const counts = all.filter(isOfReason)
  const unkept = all.filter((one) => !isOfReason(one))
  return (
    <>
      {unkept.length > 0 ? <Unkept counts={unkept} /> : null}
      {counts.length > 0 ? <Reasons counts={counts} /> : null}
    </>
  )
}

type ReasonCount = TurnedAwayCount & { reason: Reason }

function Unkept({ counts }: { counts: readonly TurnedAwayCount[] }) {
  return (
    <details class="turned-away">
      <summary>{plural(sumOf(counts), 'turn')} of the last hour not shown: too many in a second</summary>
      <p class="muted">
        Of each second, the page keeps the first 200 turns, or as many as {'"inspector.turns"'} says. The log,
        the metrics and the figures have all of them; tapes in a folder have, too.
      </p>
      <Minutes counts={counts} />
    </details>
  )
}

function Reasons({ counts }: { counts: readonly ReasonCount[] }) {
  const total = sumOf(counts)
  const found = [...new Set(counts.map(({ reason }) => reason))]
  return (
    <details class="turned-away">
      <summary>
        {plural(total, 'request')} turned away in the last hour
        <span class="muted"> · {found.map((reason) => reasons[reason].name.toLowerCase()).join(', ')}</span>
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long list is scrolled by the keyboard */}
      <ul tabIndex={0} aria-label="Reasons">
        {found.map((reason) => (
          <ReasonLine key={reason} reason={reason} counts={counts.filter((one) => one.reason === reason)} />
        ))}
      </ul>
    </details>
  )
}

function ReasonLine({ reason, counts }: { reason: Reason; counts: readonly ReasonCount[] }) {
  const { name, remedy } = reasons[reason]
  return (
    <li>
      <p>
        <b>{name}</b> <span class="number">{sumOf(counts)}</span>
      </p>
      <p class="muted">{withCommands(remedy)}</p>
      <Minutes counts={counts} />
    </li>
  )
}

function Minutes({ counts }: { counts: readonly TurnedAwayCount[] }) {
  return (
    <p class="muted number">
      {counts
        .slice(0, mostMinutes)
        .map(({ minute, count }) => `${clock(minute).slice(0, 5)} ×${count}`)
        .join(' · ')}
      {counts.length > mostMinutes ? ' · …' : ''}
    </p>
  )
}

const sumOf = (counts: readonly TurnedAwayCount[]) => counts.reduce((sum, { count }) => sum + count, 0)
