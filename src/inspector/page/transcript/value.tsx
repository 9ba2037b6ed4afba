// JSON as a tree or as text: the arguments of a call, a result, a part of one dialect.

import { useMemo, useState } from 'preact/hooks'
import type { TranscriptPart } from '../../transcript-api.ts'
import { size } from '../format.ts'
import { JsonTree } from '../json-tree.tsx'
import { Folded } from './folded.tsx'
import { PartBar, Toggle } from './part-bar.tsx'
import { SlicedText } from './sliced-text.tsx'
import { useWhole } from './use-whole.ts'

interface ValueProps {
  part: TranscriptPart
  /** What it is, in the line above it. */
  label: string
  /** Facts after the label. */
  facts?: string | undefined
  isBad?: boolean
}

const folded = { characters: 1_200, lines: 14 }

export function Value({ part, label, facts, isBad }: ValueProps) {
  const whole = useWhole(part)
  const json = useMemo(() => (whole.isWhole ? objectIn(whole.text) : undefined), [whole.text, whole.isWhole])
  const [isTree, setTree] = useState<boolean>()
  // A long one begins as text: only its beginning is there.
  const isShort = part.text.length >= part.size
  const showsTree = json !== undefined && (isTree ?? (isShort && part.kind !== 'opaque'))
  const mayBeJson = json !== undefined || (!whole.isWhole && /^\s*[[{]/.test(whole.text))
  const toggle = (wanted: boolean) => {
    setTree(wanted)
    if (wanted) whole.load().catch(() => undefined)
  }
  return (
    <div class={`value ${isBad ? 'bad' : ''}`}>
      <PartBar whole={whole} name={label.toLowerCase()}>
        <span class="part-name">{label}</span>
        <span class="muted number">{[size(part.size), facts].filter(Boolean).join(' · ')}</span>
        {mayBeJson ? (
          <Toggle isOn={showsTree} onToggle={toggle}>
            Tree
          </Toggle>
        ) : null}
      </PartBar>
      {showsTree ? (
        <JsonTree value={json} isOpen />
      ) : (
        <Folded whole={whole} length={part.size} most={folded}>
          {(text) => (text === '' ? <p class="muted">Empty</p> : <SlicedText text={text} />)}
        </Folded>
      )}
    </div>
  )
}

/** An object or a list with something in it. */
function objectIn(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && Object.keys(value).length > 0 ? value : undefined
  } catch {
    return undefined
  }
}
