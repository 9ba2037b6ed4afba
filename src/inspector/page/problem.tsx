// What went wrong in a turn: who refused it, the error, what to do, each attempt, and the body if it could not be read.

import type { AttemptView, TurnDetail, TurnSummary } from '../api.ts'
import { duration } from './format.ts'
import { remedies } from './remedies.ts'
import { clientRequest } from './request.ts'
import { isRefused } from './status.tsx'
import { UnreadBody } from './unread-body.tsx'
import { withCommands } from './with-commands.tsx'

export function Problem({ turn, detail }: { turn: TurnSummary; detail: TurnDetail | undefined }) {
  const { error } = turn
  const attempts = detail?.attempts ?? []
  const request = detail && isRefused(turn) ? clientRequest(detail.frames) : undefined
  return (
    <>
      {error ? (
        <div class="problem" role="note" aria-label="Error">
          <p class="who">{whoWords(turn)}</p>
          <p>
            <b>{error.code}</b> <bdi>{error.message}</bdi>
          </p>
          <p>{withCommands(remedies[error.code] ?? '')}</p>
        </div>
      ) : null}
      {attempts.some(({ outcome }) => outcome === 'failed' || outcome === 'skipped') ? (
        <Attempts attempts={attempts} />
      ) : null}
      {error && request ? <UnreadBody request={request} message={error.message} /> : null}
    </>
  )
}

function whoWords(turn: TurnSummary): string {
  const { status, tries } = turn
  const answered = status === undefined || status < 400 ? '' : ` with HTTP ${status}`
  if (isRefused(turn)) return `Refused by the gateway${answered}; no backend was asked`
  if (turn.outcome === 'canceled') return 'The client went away'
  const after = tries > 1 ? `, after ${tries} attempts` : ''
  return answered === ''
    ? `Failed upstream, within the answer${after}`
    : `Failed upstream${after}; answered${answered}`
}

const nextWords = { retry: 'again', fallback: 'next backend', 'give up': 'gave up' } as const

function Attempts({ attempts }: { attempts: readonly AttemptView[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by the keyboard
    <section class="attempts" aria-label="Attempts" tabIndex={0}>
      <h3>Attempts</h3>
      <table>
        <thead>
          <tr>
            {['At', 'Backend', 'Status', 'Result', 'Took', 'Then'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {attempts.map((attempt, place) => (
            <Row key={place} attempt={attempt} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Row({ attempt }: { attempt: AttemptView }) {
  const { at, backend, model, outcome, status, code, message, body, milliseconds, next, waitMs } = attempt
  return (
    <tr class={outcome}>
      <td class="number">{duration(at)}</td>
      <td class="where">
        {backend}/{model}
      </td>
      <td class="number">{status ?? '–'}</td>
      <td class="result">
        <b>{outcome === 'failed' ? (code ?? outcome) : outcome}</b> {message ? <bdi>{message}</bdi> : null}
        {body ? (
          <details>
            <summary>Answer of the service</summary>
            <pre>{body}</pre>
          </details>
        ) : null}
      </td>
      <td class="number">{duration(milliseconds)}</td>
      <td>
        {next ? nextWords[next] : ''}
        {waitMs === undefined ? '' : ` after ${duration(waitMs)}`}
      </td>
    </tr>
  )
}
