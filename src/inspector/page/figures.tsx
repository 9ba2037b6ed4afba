// The last hour, to be read from across the room. Its address is #figures.

import { useEffect, useState } from 'preact/hooks'
import type { FiguresAnswer } from '../api.ts'
import { type Tile, tilesOf } from './figures-sums.ts'
import { FiguresTables } from './figures-tables.tsx'
import { clock } from './format.ts'
import { MinuteChart } from './minute-chart.tsx'
import type { State, Store } from './store.ts'
import { isDark, toggleTheme } from './theme.ts'

const everyMs = 5_000
const figuresHash = '#figures'

/** Whether the address is that of the figures. */
export function useFiguresView(): boolean {
  const [is, setIs] = useState(() => location.hash === figuresHash)
  useEffect(() => {
    const onHash = () => setIs(location.hash === figuresHash)
    addEventListener('hashchange', onHash)
    return () => removeEventListener('hashchange', onHash)
  }, [])
  return is
}

function useFigures(store: Store): { figures: FiguresAnswer | undefined; isLate: boolean } {
  const [figures, setFigures] = useState<FiguresAnswer>()
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    let isOver = false
    const look = async () => {
      if (document.visibilityState === 'hidden') return
      const found = await store.figures().catch(() => undefined)
      if (isOver) return
      setLate(found === undefined)
      if (found) setFigures(found)
    }
    void look()
    const timer = setInterval(() => void look(), everyMs)
    document.addEventListener('visibilitychange', look)
    return () => {
      isOver = true
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [store])
  return { figures, isLate }
}

export function Figures({ state, store }: { state: State; store: Store }) {
  const { figures, isLate } = useFigures(store)
  const [dark, setDark] = useState(isDark)
  const isLive = state.phase === 'live' && !isLate
  return (
    <div class="figures">
      <header class="top">
        <div class="brand">
          <h1>Last hour</h1>
          <p class={`link ${isLive ? 'live' : 'lost'}`} role="status">
            <span class="dot" aria-hidden="true" />
            {figures ? wordsOf(figures, isLive) : 'loading'}
          </p>
        </div>
        <div class="switches">
          <a class="button" href="#turns">
            Turns
          </a>
          <button type="button" onClick={() => setDark(toggleTheme())}>
            {dark ? 'Light' : 'Dark'}
          </button>
        </div>
      </header>
      <main>
        {figures?.missing.length ? (
          <p class="absent" role="alert">
            Without {figures.missing.join(', ')}: no answer from there.
          </p>
        ) : null}
        {figures ? (
          <>
            <ul class="tiles">
              {tilesOf(figures).map((tile) => (
                <TileView key={tile.name} tile={tile} />
              ))}
            </ul>
            <FiguresTables figures={figures} />
          </>
        ) : null}
      </main>
    </div>
  )
}

function wordsOf({ at, processes, version }: FiguresAnswer, isLive: boolean): string {
  const from = processes > 1 ? `, ${processes} processes` : ''
  return isLive ? `live, ${version}${from}` : `not updated since ${clock(at)}`
}

function TileView({ tile: { name, value, about, values, bad, isBad } }: { tile: Tile }) {
  const label = values
    ? `${name} in each of the last ${values.length} minutes; the table below has the numbers`
    : ''
  return (
    <li class={`tile ${isBad ? 'is-bad' : ''}`}>
      <h2>{name}</h2>
      <p class={`big number ${value === 'unknown' ? 'unknown' : ''}`}>{value}</p>
      <p class="muted">{about}</p>
      {values ? <MinuteChart values={values} bad={bad} label={label} /> : null}
    </li>
  )
}
