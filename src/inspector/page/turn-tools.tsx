// What one can do with a turn, beside reading it: pin it, compare it, send it again, export its conversation.

import { createContext } from 'preact'
import { useContext, useState } from 'preact/hooks'
import type { Abilities, TurnSummary } from '../api.ts'
import { download } from './actions.tsx'
import type { Conversation } from './conversations.ts'
import type { Store } from './store.ts'

interface Tools {
  may: Abilities
  /** Names for the menu of models. */
  models: readonly string[]
  choose(id: string, open: boolean): void
  /** Compares the opened turn with this one; without it, the next choice counts. */
  compare(other?: string): void
  isKnown(id: string): boolean
}

export const ToolsContext = createContext<Tools | undefined>(undefined)

interface TurnToolsProps {
  turn: TurnSummary
  conversation: Conversation
  store: Store
}

export function TurnTools({ turn, conversation, store }: TurnToolsProps) {
  const tools = useContext(ToolsContext)
  const [isResending, setResending] = useState(false)
  const [problem, setProblem] = useState('')
  if (!tools) return null
  const { may, compare, choose, isKnown } = tools
  const attempt = (work: Promise<unknown>) => {
    setProblem('')
    work.catch((error: Error) => setProblem(error.message))
  }
  const save = async () => {
    const tape = await store.conversationTape(turn.conversation)
    download(tape, `conversation-${turn.conversation}.jsonl`)
  }
  const isWhole = conversation.turns.length > 1
  return (
    <div class="tools">
      <div class="tool-buttons">
        {may.change ? (
          <button
            type="button"
            aria-pressed={turn.pinned === true}
            title="A pinned turn stays when newer ones need its place"
            onClick={() => attempt(store.pin(turn.id, !turn.pinned))}
          >
            {turn.pinned ? 'Pinned' : 'Pin'}
          </button>
        ) : null}
        <button type="button" onClick={() => compare()}>
          Compare with…
        </button>
        <button type="button" aria-expanded={isResending} onClick={() => setResending(!isResending)}>
          Resend…
        </button>
        {isWhole ? (
          <button type="button" onClick={() => attempt(save())}>
            Export conversation
          </button>
        ) : null}
      </div>
      {turn.remark === undefined ? null : <p class="muted">{turn.remark}</p>}
      {turn.resentFrom === undefined ? null : (
        <ResentFrom from={turn.resentFrom} {...{ choose, compare }} isKnown={isKnown(turn.resentFrom)} />
      )}
      {isResending ? <ResendForm {...{ turn, store, tools }} onEnd={() => setResending(false)} /> : null}
      {problem === '' ? null : (
        <p class="tool-problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}

interface ResentFromProps extends Pick<Tools, 'choose' | 'compare'> {
  from: string
  isKnown: boolean
}

const ResentFrom = ({ from, isKnown, choose, compare }: ResentFromProps) => (
  <p class="resent">
    The request of <code>{from}</code> was sent again.
    {isKnown ? (
      <>
        <button type="button" onClick={() => compare(from)}>
          Compare with the original
        </button>
        <button type="button" onClick={() => choose(from, true)}>
          Show the original
        </button>
      </>
    ) : (
      ' The original is not kept any more.'
    )}
  </p>
)

interface ResendFormProps {
  turn: TurnSummary
  store: Store
  tools: Tools
  onEnd(): void
}

function ResendForm({ turn, store, tools, onEnd }: ResendFormProps) {
  const [model, setModel] = useState(turn.model)
  const [said, setSaid] = useState('')
  const [isSending, setSending] = useState(false)
  const { may, models, choose } = tools
  if (may.resend !== true)
    return (
      <p class="tool-problem" role="alert">
        {may.resend}
      </p>
    )
  const send = async (event: Event) => {
    event.preventDefault()
    setSending(true)
    setSaid('')
    try {
      const id = await store.resend(turn.id, model.trim() === turn.model ? undefined : model)
      onEnd()
      choose(id, true)
    } catch (error) {
      setSaid((error as Error).message)
    }
    setSending(false)
  }
  return (
    <form class="resend" onSubmit={send}>
      <label>
        Send this request again to
        <input
          list="models"
          value={model}
          maxLength={200}
          required
          onInput={(event) => setModel(event.currentTarget.value)}
        />
      </label>
      <datalist id="models">
        {models.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <button type="submit" disabled={isSending}>
        {isSending ? 'Sending…' : 'Send'}
      </button>
      <button type="button" onClick={onEnd}>
        Cancel
      </button>
      <p class="muted">
        It goes out as it came, for the key “{turn.key}”, and may cost as much as before. Its tools are not
        run.
      </p>
      {said === '' ? null : (
        <p class="tool-problem" role="alert">
          {said}
        </p>
      )}
    </form>
  )
}
