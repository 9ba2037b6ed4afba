// Parked sessions: how many wait for results, and which.

import { useState } from 'preact/hooks'
import type { SessionsView } from '../api.ts'
import { clock, plural, size } from './format.ts'

export function Sessions({ sessions }: { sessions: readonly SessionsView[] }) {
  const [isOpen, setOpen] = useState(false)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return
    setOpen(false)
    event.stopPropagation()
  }
  const waiting = sessions.reduce((sum, one) => sum + one.waiting, 0)
  const listed = sessions.flatMap((one) =>
    one.sessions.map((session) => ({ ...session, backend: one.backend })),
  )
  return (
    <div class="sessions">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls="sessions"
        onClick={() => setOpen(!isOpen)}
        onKeyDown={onKeyDown}
      >
        <span class="number">{waiting}</span> parked
      </button>
      <div id="sessions" class="popup" hidden={!isOpen}>
        <h2>Parked sessions</h2>
        <p class="muted">Runs that wait for tool results, and runs that are answering.</p>
        {sessions.length === 0 ? <p>No configured backend has sessions.</p> : null}
        <ul>
          {sessions.map(({ backend, answering, waiting: own, waitingBytes }) => (
            <li key={backend}>
              {backend}: {plural(own, 'waiting run')}, {answering} answering, {size(waitingBytes)} kept
            </li>
          ))}
        </ul>
        {listed.length > 0 ? (
          <table>
            <thead>
              <tr>
                <th scope="col">Session</th>
                <th scope="col">Model</th>
                <th scope="col">State</th>
                <th scope="col">Since</th>
              </tr>
            </thead>
            <tbody>
              {listed.slice(0, 100).map(({ id, backend, model, state, since }) => (
                <tr key={id}>
                  <td>
                    <code>{id}</code>
                  </td>
                  <td>
                    {backend}/{model}
                  </td>
                  <td>{state}</td>
                  <td class="number">{clock(since)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        ) : null}
      </div>
    </div>
  )
}
