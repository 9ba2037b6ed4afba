// The line above a part: what it is, its size, and what can be done with it.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { toClipboard } from '../clipboard.ts'
import type { Whole } from './use-whole.ts'

interface BarProps {
  whole: Whole
  /** What is copied, for readers of the button. */
  name: string
  children?: ComponentChildren
}

const saidMs = 2_000

export function PartBar({ whole, name, children }: BarProps) {
  return (
    <div class="part-bar">
      {children}
      <Copy load={whole.load} name={name} />
    </div>
  )
}

function Copy({ load, name }: { load(): Promise<string>; name: string }) {
  const [said, setSaid] = useState('')
  const copy = async () => {
    const words = await load()
      .then(toClipboard)
      .then(
        () => 'Copied',
        () => 'Not copied',
      )
    setSaid(words)
    setTimeout(() => setSaid(''), saidMs)
  }
  return (
    <button type="button" class="small" aria-label={`Copy ${name}`} onClick={copy}>
      <span role="status">{said === '' ? 'Copy' : said}</span>
    </button>
  )
}

interface ToggleProps {
  isOn: boolean
  onToggle(isOn: boolean): void
  children: ComponentChildren
}

export const Toggle = ({ isOn, onToggle, children }: ToggleProps) => (
  <button type="button" class="small" aria-pressed={isOn} onClick={() => onToggle(!isOn)}>
    {children}
  </button>
)
