// One turn: its facts, its conversation, the gateway's changes, its timeline, and both sides of the wire.

import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { TurnDetail, TurnSummary } from '../api.ts'
import type { Transcript } from '../transcript-api.ts'
import { Actions } from './actions.tsx'
import { BothSides } from './comparison/comparison.tsx'
import { ConversationStrip } from './conversation-strip.tsx'
import { type Conversation, isWaiting } from './conversations.ts'
import { Facts } from './facts.tsx'
import { Frames } from './frames.tsx'
import { JsonTree } from './json-tree.tsx'
import { Problem } from './problem.tsx'
import { type ClientRequest, clientRequest, parsed } from './request.ts'
import { isRefused, Status } from './status.tsx'
import { Steps } from './steps.tsx'
import type { Store } from './store.ts'
import { Tabs } from './tabs.tsx'
import { Timeline } from './timeline.tsx'
import { Title } from './title.tsx'
import { TranscriptView } from './transcript/transcript.tsx'
import { useTranscript } from './transcript/use-transcript.ts'
import { TurnTools } from './turn-tools.tsx'

interface DetailProps {
  turn: TurnSummary
  conversation: Conversation
  store: Store
  heading: RefObject<HTMLHeadingElement | null>
  onBack(): void
  onChoose(id: string, open: boolean): void
}

export function Detail({ turn, conversation, store, heading, onBack, onChoose }: DetailProps) {
  const transcript = useTranscript(turn, conversation, store)
  return (
    <article>
      <button type="button" class="back" onClick={onBack}>
        ← All turns
      </button>
      <div class="detail-head">
        <h2 ref={heading} tabIndex={-1}>
          <Title turn={turn} />
        </h2>
        <Status turn={turn} isWaiting={isWaiting(turn, conversation)} />
        <Actions turn={turn} store={store} />
      </div>
      <TurnTools {...{ turn, conversation, store }} />
      <Facts turn={turn} />
      {turn.error || turn.tries > 1 || turn.skipped ? <FailedAttempts turn={turn} store={store} /> : null}
      {conversation.turns.length > 1 ? (
        <ConversationStrip {...{ conversation, onChoose }} selected={turn.id} />
      ) : null}
      {transcript && transcript.notes.length > 0 ? <Notes notes={transcript.notes} /> : null}
      {transcript ? (
        <Views {...{ turn, transcript, conversation, store, onChoose }} />
      ) : (
        <p class="muted">Loading…</p>
      )}
    </article>
  )
}

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

interface ViewsProps extends Omit<DetailProps, 'heading' | 'onBack'> {
  transcript: Transcript
}

function Views({ turn, transcript, conversation, store, onChoose }: ViewsProps) {
  const { frames, segments } = transcript
  const withDetail = (show: (detail: TurnDetail) => ComponentChildren) => (
    <WithDetail turn={turn} store={store}>
      {show}
    </WithDetail>
  )
  return (
    <Tabs
      tabs={[
        {
          name: 'Transcript',
          content: () => <TranscriptView {...{ transcript, conversation, store, onChoose }} />,
        },
        { name: 'Both sides', content: () => <BothSides {...{ turn, store }} /> },
        {
          name: 'Steps',
          content: () => (
            <>
              {isRefused(turn) ? null : <Timeline turn={turn} segments={segments} />}
              {withDetail((detail) => (
                <Steps detail={detail} />
              ))}
            </>
          ),
        },
        {
          name: 'Client frames',
          number: frames.client,
          content: () => withDetail((detail) => <Frames frames={ofClient(detail)} />),
        },
        {
          name: 'Upstream frames',
          number: frames.others,
          content: () => withDetail((detail) => <Frames frames={ofOthers(detail)} />),
        },
        {
          name: 'Request',
          content: () => withDetail((detail) => <Request request={clientRequest(detail.frames)} />),
        },
      ]}
    />
  )
}

const ofClient = ({ frames }: TurnDetail) => frames.filter(({ side }) => side === 'client')
const ofOthers = ({ frames }: TurnDetail) => frames.filter(({ side }) => side !== 'client')

interface WithDetailProps {
  turn: TurnSummary
  store: Store
  children(detail: TurnDetail): ComponentChildren
}

/** The attempts are read from the frames. */
const FailedAttempts = ({ turn, store }: { turn: TurnSummary; store: Store }) => (
  <Problem turn={turn} detail={useDetail(turn, store)} />
)

/** The frames of a turn may be many megabytes: they are loaded when they are looked at. */
function WithDetail({ turn, store, children }: WithDetailProps) {
  const detail = useDetail(turn, store)
  return <>{detail ? children(detail) : <p class="muted">Loading…</p>}</>
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
