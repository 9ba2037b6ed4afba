// Images and files. Only pictures of known types are shown, from the tape alone: nothing is loaded from elsewhere.

import { useEffect, useRef, useState } from 'preact/hooks'
import type { TranscriptPart } from '../../transcript-api.ts'
import { size } from '../format.ts'
import { PartBar } from './part-bar.tsx'
import { SlicedText } from './sliced-text.tsx'
import { useWhole } from './use-whole.ts'

const pictures = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
/** A larger one is loaded on a click. */
const longestUnasked = 2 * 1024 * 1024

export function Media({ part }: { part: TranscriptPart }) {
  const { kind, name, mediaType, url } = part
  const whole = useWhole(part)
  const isPicture = kind === 'image' && mediaType !== undefined && pictures.has(mediaType)
  const what = [name, mediaType, url === undefined ? size(part.size) : undefined].filter(Boolean).join(' · ')
  return (
    <div class="value">
      <PartBar whole={url === undefined ? whole : { ...whole, load: async () => url }} name={kind}>
        <span class="part-name">{kind === 'image' ? 'Image' : 'File'}</span>
        <span class="muted">{what}</span>
      </PartBar>
      {url === undefined ? null : <SlicedText text={url} />}
      {isPicture ? <Picture part={part} whole={whole} /> : null}
      {!isPicture && url === undefined ? <Content part={part} whole={whole} /> : null}
    </div>
  )
}

type Shown = { part: TranscriptPart; whole: ReturnType<typeof useWhole> }

function Picture({ part, whole }: Shown) {
  const place = useRef<HTMLButtonElement>(null)
  const { isWhole, load } = whole
  useEffect(() => {
    if (isWhole || !place.current || part.size > longestUnasked) return
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) load().catch(() => undefined)
    })
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [isWhole])
  if (!isWhole)
    return (
      <button type="button" class="small" ref={place} onClick={() => load().catch(() => undefined)}>
        Show the image
      </button>
    )
  const data = whole.text.replace(/[^A-Za-z0-9+/=]/g, '')
  return (
    <img
      class="picture"
      alt={part.name ?? 'In the conversation'}
      src={`data:${part.mediaType};base64,${data}`}
    />
  )
}

/** What is no picture is text, if it is readable. */
function Content({ part, whole }: Shown) {
  const [isOpen, setOpen] = useState(false)
  if (part.size === 0) return null
  const open = () => {
    setOpen(true)
    whole.load().catch(() => undefined)
  }
  if (!isOpen)
    return (
      <button type="button" class="small" onClick={open}>
        Show as text
      </button>
    )
  return whole.isWhole ? <SlicedText text={decoded(whole.text)} /> : <p role="status">Loading…</p>
}

function decoded(base64: string): string {
  try {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
    return new TextDecoder().decode(bytes)
  } catch {
    return base64
  }
}
