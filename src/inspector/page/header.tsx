// The top of the page: connection, charts, parked sessions and buttons.

import { useEffect, useState } from 'preact/hooks'
import { Charts } from './charts.tsx'
import { Sessions } from './sessions.tsx'
import type { State, Store } from './store.ts'
import { isDark, toggleTheme } from './theme.ts'

export function Header({ state, store }: { state: State; store: Store }) {
  const [dark, setDark] = useState(isDark)
  useEffect(() => {
    const system = matchMedia('(prefers-color-scheme: dark)')
    const onChange = () => setDark(isDark())
    system.addEventListener('change', onChange)
    return () => system.removeEventListener('change', onChange)
  }, [])
  return (
    <header class="top">
      <div class="brand">
        <h1>Dragoman inspector</h1>
        <p class={`link ${state.phase}`} role="status">
          <span class="dot" aria-hidden="true" />
          {linkWords(state)}
        </p>
        {state.missing.length > 0 ? (
          <p class="link lost" role="status">
            without {state.missing.join(', ')}
          </p>
        ) : null}
      </div>
      <Charts turns={state.turns} />
      <div class="switches">
        <a class="button" href="#figures">
          Last hour
        </a>
        <Sessions sessions={state.sessions} />
        <button type="button" onClick={() => setDark(toggleTheme())}>
          {dark ? 'Light' : 'Dark'}
        </button>
        <button type="button" onClick={() => store.logout()}>
          Log out
        </button>
      </div>
    </header>
  )
}

function linkWords({ phase, version, may, notice }: State): string {
  if (phase === 'live') return may.tapes === undefined ? `live, ${version}` : `tapes of ${may.tapes}`
  if (phase === 'away') return 'hidden, not connected'
  return notice ?? 'gateway unreachable, retrying'
}
