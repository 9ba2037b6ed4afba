// Requests without a right key, host or origin: counted by reason and minute. They are no turns; nothing of them is kept.

import type { TurnedAwayCount } from '../api.ts'
import { clock, plural } from './format.ts'
import { withCommands } from './with-commands.tsx'

type Reason = TurnedAwayCount['reason']

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

export function TurnedAway({ counts }: { counts: readonly TurnedAwayCount[] }) {
  if (counts.length === 0) return null
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

function ReasonLine({ reason, counts }: { reason: Reason; counts: readonly TurnedAwayCount[] }) {
  const { name, remedy } = reasons[reason]
  return (
    <li>
      <p>
        <b>{name}</b> <span class="number">{sumOf(counts)}</span>
      </p>
      <p class="muted">{withCommands(remedy)}</p>
      <p class="muted number">
        {counts
          .slice(0, mostMinutes)
          .map(({ minute, count }) => `${clock(minute).slice(0, 5)} ×${count}`)
          .join(' · ')}
        {counts.length > mostMinutes ? ' · …' : ''}
      </p>
    </li>
  )
}

const sumOf = (counts: readonly TurnedAwayCount[]) => counts.reduce((sum, { count }) => sum + count, 0)
