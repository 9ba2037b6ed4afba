// The rows of the list that are in view, grouped by conversation.

import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { FoundText, TurnSummary } from '../api.ts'
import { type Conversation, type Hits, isWaiting } from './conversations.ts'
import { clock, count, duration, plural } from './format.ts'
import { between, type Layout, type ListItem } from './list-window.ts'
import { Status } from './status.tsx'
import { Title } from './title.tsx'

interface RowsProps {
  layout: Layout
  hits: Hits
  selected: string | undefined
  /** The turn that the selected one is compared with. */
  versus: string | undefined
  list: RefObject<HTMLDivElement | null>
  label: string
  /** Changes when the selected turn must come into view. */
  shownFor: string
  /** `isOther`: with the shift key, to compare with the selected one. */
  onChoose(id: string, isOther: boolean): void
}

/** Rows before and after those in view, in pixels. */
const around = 800

export function Rows(props: RowsProps) {
  const { layout, selected, list } = props
  const [view, setView] = useState({ top: 0, height: 1_000 })
  const look = () => {
    const { scrollTop = 0, clientHeight = 0 } = list.current ?? {}
    setView((before) =>
      before.top === scrollTop && before.height === clientHeight
        ? before
        : { top: scrollTop, height: clientHeight },
    )
  }
  useEffect(() => {
    const observer = new ResizeObserver(look)
    if (list.current) observer.observe(list.current)
    return () => observer.disconnect()
  }, [])
  useAnchor(layout, list)
  useEffect(() => {
    const item = layout.items.find(({ turn }) => turn?.id === selected)
    if (item && list.current) showItem(item, list.current)
    look()
  }, [selected, props.shownFor])
  const [from, to] = between(layout, view.top - around, view.top + view.height + around)
  const items = layout.items.slice(from, to)
  const [first, last] = [items[0], items.at(-1)]
  const below = last ? layout.height - last.top - last.height : 0
  const onClick = (event: MouseEvent) => {
    const row = (event.target as Element).closest('[role=option]')
    if (row) props.onChoose(row.id, event.shiftKey)
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keyboard.ts has them
    <div
      class="rows"
      role="listbox"
      aria-label={props.label}
      tabIndex={0}
      ref={list}
      aria-activedescendant={items.some(({ key }) => key === selected) ? selected : undefined}
      onScroll={look}
      onClick={onClick}
    >
      {/* Not the list itself: no element is smaller than its padding. */}
      <div role="presentation" style={{ paddingTop: `${first?.top ?? 0}px`, paddingBottom: `${below}px` }}>
        {groupsOf(items).map(({ conversation, items: own }) => (
          <Group key={conversation.id} {...{ conversation, items: own }} {...props} />
        ))}
      </div>
    </div>
  )
}

function showItem({ top, height }: ListItem, rows: HTMLElement): void {
  if (top < rows.scrollTop) rows.scrollTop = top
  else if (top + height > rows.scrollTop + rows.clientHeight)
    rows.scrollTop = top + height - rows.clientHeight
}

/** New turns come in at the top: what is being read stays where it is. */
function useAnchor(layout: Layout, list: RefObject<HTMLDivElement | null>): void {
  const before = useRef<Layout>(layout)
  useLayoutEffect(() => {
    const rows = list.current
    const [at] = between(before.current, rows?.scrollTop ?? 0, Number.POSITIVE_INFINITY)
    const anchor = before.current.items[at]
    before.current = layout
    if (!rows || !anchor || rows.scrollTop === 0) return
    const now = layout.items.find(({ key }) => key === anchor.key)
    if (now && now.top !== anchor.top) rows.scrollTop += now.top - anchor.top
  }, [layout])
}

function groupsOf(items: readonly ListItem[]): { conversation: Conversation; items: ListItem[] }[] {
  const groups: { conversation: Conversation; items: ListItem[] }[] = []
  for (const item of items) {
    const last = groups.at(-1)
    if (last?.conversation === item.conversation) last.items.push(item)
    else groups.push({ conversation: item.conversation, items: [item] })
  }
  return groups
}

function Group({ conversation, items, ...props }: RowsProps & ReturnType<typeof groupsOf>[number]) {
  const { title, client, turns } = conversation
  const isGroup = turns.length > 1
  return (
    // biome-ignore lint/a11y/useSemanticElements: groups of a listbox are such by their role
    <div class={isGroup ? 'group' : 'single'} role="group" aria-label={title || 'Conversation'}>
      {items.map((item) =>
        item.turn ? (
          <Row
            key={item.key}
            {...{ turn: item.turn, item, found: props.hits.get(item.key) }}
            waits={isWaiting(item.turn, conversation)}
            isSelected={item.key === props.selected}
            isVersus={item.key === props.versus}
          />
        ) : (
          <div key={item.key} class="group-head" role="presentation">
            <span class="title">{title || 'Conversation'}</span>
            <span class="muted">
              {client ?? 'client unknown'} · {plural(turns.length, 'turn')}
            </span>
          </div>
        ),
      )}
    </div>
  )
}

interface RowProps {
  turn: TurnSummary
  item: ListItem
  found: readonly FoundText[] | undefined
  waits: boolean
  isSelected: boolean
  isVersus: boolean
}

/** Made again only if something in it has changed: most rows stay the same while one types or scrolls. */
function Row(props: RowProps) {
  const { turn, item, found, waits, isSelected, isVersus } = props
  return useMemo(
    () => <RowContent {...props} />,
    [turn, item.lines, item.isFirst, found, waits, isSelected, isVersus],
  )
}

function RowContent({ turn, item, found, waits, isSelected, isVersus }: RowProps) {
  const { id, startedAt, model, backend, client, calls, notes } = turn
  const marks = [turn.pinned ? 'pinned' : [], turn.resentFrom === undefined ? [] : 'resent'].flat()
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, and names the active one
    <div
      class={`row lines-${item.lines} ${item.isFirst ? 'first' : ''} ${isVersus ? 'versus' : ''}`}
      id={id}
      role="option"
      aria-selected={isSelected}
    >
      <Title turn={turn} />
      <time class="number">{clock(startedAt)}</time>
      <span class="where">
        {marks.map((mark) => (
          <span key={mark} class="row-mark">
            {mark}
          </span>
        ))}
        {client ? `${client} · ` : ''}
        {model}
        {backend === undefined || model.startsWith(`${backend}/`) ? '' : ` → ${backend}`}
      </span>
      <Status turn={turn} isWaiting={waits} />
      <span class="figures number">
        <span title="Time to the first output">{duration(turn.firstOutputMs)}</span>
        <span title="Duration">{duration(turn.milliseconds)}</span>
        <span title="Tokens in and out">
          {turn.inputTokens === undefined ? '' : `${count(turn.inputTokens)}→${count(turn.outputTokens)}`}
        </span>
        <span class="calls" title={calls.join(', ')}>
          {calls.length > 0 ? plural(calls.length, 'call') : ''}
        </span>
        <span class="notes">{notes > 0 ? plural(notes, 'note') : ''}</span>
      </span>
      {linesOf(turn, found).map((line, at) => (
        <Line key={at} line={line} />
      ))}
    </div>
  )
}

type RowLine = FoundText | string

/** Below the row of a turn: where the words are, and what to know of its tape. */
export function linesOf(turn: TurnSummary, found: RowProps['found']): RowLine[] {
  const isUnreadable = turn.outcome === 'unreadable' && turn.error
  return [...(found ?? []), isUnreadable ? isUnreadable.message : [], turn.remark ?? []].flat()
}

const Line = ({ line }: { line: RowLine }) =>
  typeof line === 'string' ? (
    <span class="line remark" title={line}>
      {line}
    </span>
  ) : (
    <span class="line" title={line.where}>
      <span class="muted">{line.where.split(':')[0]}</span> {line.before.slice(-24)}
      <mark>{line.found}</mark>
      {line.after}
    </span>
  )
