// One turn: its facts, its timeline, the gateway's changes, and both sides of the wire.

import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { TurnDetail, TurnSummary } from '../api.ts'
import { Actions } from './actions.tsx'
import { ConversationStrip } from './conversation-strip.tsx'
import { type Conversation, isWaiting } from './conversations.ts'
import { Facts } from './facts.tsx'
import { Frames } from './frames.tsx'
import { JsonTree } from './json-tree.tsx'
import { remedies } from './remedies.ts'
import { type ClientRequest, clientRequest, parsed } from './request.ts'
import { Status } from './status.tsx'
import { Steps } from './steps.tsx'
import type { Store } from './store.ts'
import { Tabs } from './tabs.tsx'
import { Timeline } from './timeline.tsx'

interface DetailProps {
  turn: TurnSummary
  conversation: Conversation
  store: Store
  heading: RefObject<HTMLHeadingElement | null>
  onBack(): void
  onChoose(id: string, open: boolean): void
}

export function Detail({ turn, conversation, store, heading, onBack, onChoose }: DetailProps) {
  const detail = useDetail(turn, store)
  return (
    <article>
      <button type="button" class="back" onClick={onBack}>
        ← All turns
      </button>
      <div class="detail-head">
        <h2 ref={heading} tabIndex={-1}>
          {turn.title || turn.model}
        </h2>
        <Status turn={turn} isWaiting={isWaiting(turn, conversation)} />
        <Actions turn={turn} request={detail && clientRequest(detail.frames)} store={store} />
      </div>
      <Facts turn={turn} />
      {turn.error ? (
        <div class="problem" role="note" aria-label="Error">
          <p>
            <b>{turn.error.code}</b> {turn.error.message}
          </p>
          <p>{withCommands(remedies[turn.error.code] ?? '')}</p>
        </div>
      ) : null}
      {conversation.turns.length > 1 ? (
        <ConversationStrip {...{ conversation, onChoose }} selected={turn.id} />
      ) : null}
      <Timeline turn={turn} segments={detail?.segments ?? []} />
      {detail && detail.notes.length > 0 ? <Notes notes={detail.notes} /> : null}
      {detail ? <Wire detail={detail} /> : <p class="muted">Loading…</p>}
    </article>
  )
}

/** Text in backticks becomes code. */
const withCommands = (text: string) =>
  text.split('`').map((part, place) => (place % 2 === 0 ? part : <code key={place}>{part}</code>))

const Notes = ({ notes }: { notes: readonly string[] }) => (
  <section class="notes-list">
    <h3>Changes by the gateway</h3>
    <ul>
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  </section>
)

function Wire({ detail }: { detail: TurnDetail }) {
  const { frames } = detail
  const ofClient = frames.filter(({ side }) => side === 'client')
  const others = frames.filter(({ side }) => side !== 'client')
  return (
    <Tabs
      tabs={[
        { name: 'Steps', content: () => <Steps detail={detail} /> },
        { name: 'Client frames', number: ofClient.length, content: () => <Frames frames={ofClient} /> },
        { name: 'Upstream frames', number: others.length, content: () => <Frames frames={others} /> },
        { name: 'Request', content: () => <Request request={clientRequest(frames)} /> },
      ]}
    />
  )
}

function Request({ request }: { request: ClientRequest | undefined }) {
  if (!request) return <p class="muted">The request was too long to keep.</p>
  return (
    <div>
      <p>
        <code>
          {request.method} {request.path}
        </code>
      </p>
      <JsonTree name="headers" value={request.headers} />
      <JsonTree name="body" value={parsed(request.body)} isOpen />
    </div>
  )
}

const shortestPauseMs = 300

/** Loads the turn again while it runs; the longer a load takes, the less often. */
function useDetail(turn: TurnSummary, store: Store): TurnDetail | undefined {
  const [detail, setDetail] = useState<TurnDetail>()
  const took = useRef(0)
  const { id, frames, running, cut, milliseconds } = turn
  const seen = detail?.summary
  const isStale =
    seen?.frames !== frames ||
    seen.running !== running ||
    // Its frames exceed the limit, but the turn continues.
    (cut && running && seen.milliseconds !== milliseconds)
  useEffect(() => {
    if (!isStale) return
    let isOver = false
    const pause = detail ? Math.max(shortestPauseMs, 10 * took.current) : 0
    const timer = setTimeout(async () => {
      const before = performance.now()
      const found = await store.detail(id).catch(() => undefined)
      took.current = performance.now() - before
      if (!isOver && found && found !== 'gone') setDetail(found)
    }, pause)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [id, isStale, detail])
  return detail
}
