// One part of a conversation.

import { useState } from 'preact/hooks'
import type { TranscriptPart, TranscriptResult } from '../../transcript-api.ts'
import { duration, size } from '../format.ts'
import { Folded } from './folded.tsx'
import { Markdown } from './markdown.tsx'
import { Media } from './media.tsx'
import { PartBar, Toggle } from './part-bar.tsx'
import { SlicedText } from './sliced-text.tsx'
import { useWhole } from './use-whole.ts'
import { Value } from './value.tsx'

interface PartProps {
  part: TranscriptPart
  role: string
  /** Of the chosen turn's answer: more of it is shown at once. */
  isChosen: boolean
}

export function Part({ part, role, isChosen }: PartProps) {
  switch (part.kind) {
    case 'text':
      return <Text part={part} role={role} isChosen={isChosen} />
    case 'reasoning':
      return <Reasoning part={part} />
    case 'call':
      return <Call part={part} />
    case 'image':
    case 'file':
      return <Media part={part} />
    case 'search':
      return <Search part={part} />
    case 'error':
      return (
        <div class="problem">
          <b>{part.name}</b> {part.text}
        </div>
      )
    case 'opaque':
      return <Value part={part} label={part.name ?? 'Part'} />
    default:
      return <Value part={part} label="As it came" />
  }
}

const some = { characters: 1_500, lines: 24 }
const most = { characters: 8_000, lines: 200 }
/** Instructions are long, and the same in every turn. */
const few = { characters: 300, lines: 3 }

function Text({ part, role, isChosen }: PartProps) {
  const whole = useWhole(part)
  const [isPlain, setPlain] = useState(false)
  const limit = role === 'system' ? few : isChosen ? most : some
  return (
    <div class="text-part">
      <PartBar whole={whole} name={`${role} text`}>
        <Toggle isOn={isPlain} onToggle={setPlain}>
          Show as text
        </Toggle>
      </PartBar>
      <Folded whole={whole} length={part.size} most={limit}>
        {(text) => (isPlain ? <SlicedText text={text} /> : <Markdown text={text} />)}
      </Folded>
    </div>
  )
}

function Reasoning({ part }: { part: TranscriptPart }) {
  const whole = useWhole(part)
  const [isOpen, setOpen] = useState(false)
  return (
    <details
      class="reasoning-part"
      onToggle={(event) => {
        setOpen(event.currentTarget.open)
        if (event.currentTarget.open) whole.load().catch(() => undefined)
      }}
    >
      <summary>
        Reasoning{' '}
        <span class="muted number">{part.size === 0 ? 'hidden by the service' : size(part.size)}</span>
      </summary>
      {isOpen && part.size > 0 ? (
        <>
          <PartBar whole={whole} name="reasoning" />
          <Markdown text={whole.text} />
        </>
      ) : null}
    </details>
  )
}

function Call({ part }: { part: TranscriptPart }) {
  const { name, result, isOpen } = part
  return (
    <div class="call-part">
      <p class="call-name">
        <code>{name}</code>
        {isOpen ? <span class="muted">its arguments are not complete yet</span> : null}
        {result ? null : <span class="muted">no result yet</span>}
      </p>
      <div class={result ? 'call-sides' : ''}>
        <Value part={part} label="Arguments" />
        {result ? <Result result={result} /> : null}
      </div>
    </div>
  )
}

export function Result({ result }: { result: TranscriptResult }) {
  const { parts, isError, milliseconds } = result
  const took = milliseconds === undefined ? undefined : duration(milliseconds)
  const label = isError ? 'Error' : 'Result'
  if (parts.length === 0) return <p class="muted">{label}: empty</p>
  return (
    <div class="result">
      {parts.map((part, at) =>
        part.kind === 'image' || part.kind === 'file' ? (
          <Media key={part.number} part={part} />
        ) : (
          <Value
            key={part.number}
            part={part}
            label={label}
            facts={at === 0 ? took : undefined}
            isBad={isError}
          />
        ),
      )}
    </div>
  )
}

const Search = ({ part }: { part: TranscriptPart }) => (
  <p class="search-part">
    {part.name === 'query' ? 'Searched the deferred tools for ' : 'Found '}
    {part.text === '' ? <span class="muted">nothing</span> : null}
    {part.text
      .split('\n')
      .filter(Boolean)
      .map((word) => (
        <code key={word}>{word}</code>
      ))}
  </p>
)
