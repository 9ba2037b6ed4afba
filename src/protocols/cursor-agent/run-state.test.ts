import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../core/errors.ts'
import { RunLife, type RunState } from './run-state.ts'

const failure = new GatewayError('upstream-unavailable', 'The stream broke.')

const transitions = {
  park: (life: RunLife) => life.park(),
  resume: (life: RunLife) => life.resume(),
  lose: (life: RunLife) => life.lose(failure),
  loseAnswer: (life: RunLife) => life.loseAnswer(failure),
  reopen: (life: RunLife) => life.reopen(),
  holdTurnEnd: (life: RunLife) => life.holdTurnEnd(),
  endTurn: (life: RunLife) => life.endTurn(),
  checkpoint: (life: RunLife) => life.checkpoint(),
  cutShort: (life: RunLife) => life.cutShort(),
  fail: (life: RunLife) => life.fail(),
}
type Transition = keyof typeof transitions

const nameOf = (state: RunState) =>
  state.phase === 'ended' ? `ended ${state.how}` : `${state.phase} ${state.stream}`

/** The diagram of src/backends/cursor/README.md: a path to each state, and where each transition leads from it. */
const states: Record<string, { path: Transition[]; to: Partial<Record<Transition, string>> }> = {
  'answering open': {
    path: [],
    to: {
      park: 'parked open',
      lose: 'answering lost',
      loseAnswer: 'parked lost',
      endTurn: 'ended turn-ended',
      cutShort: 'ended cut-short',
      fail: 'ended failed',
    },
  },
  'answering lost': { path: ['lose'], to: { reopen: 'answering open', fail: 'ended failed' } },
  'parked open': {
    path: ['park'],
    to: {
      resume: 'answering open',
      lose: 'parked lost',
      holdTurnEnd: 'parked done',
      cutShort: 'ended cut-short',
      fail: 'ended failed',
    },
  },
  'parked lost': { path: ['park', 'lose'], to: { resume: 'answering lost', fail: 'ended failed' } },
  'parked done': {
    path: ['park', 'holdTurnEnd'],
    to: {
      resume: 'answering open',
      holdTurnEnd: 'parked done',
      fail: 'ended failed',
    },
  },
  'ended turn-ended': { path: ['endTurn'], to: { checkpoint: 'ended checkpointed' } },
  'ended checkpointed': { path: ['endTurn', 'checkpoint'], to: {} },
  'ended cut-short': { path: ['cutShort'], to: {} },
  'ended failed': { path: ['fail'], to: {} },
}

const cases = Object.entries(states).flatMap(([from, { path, to }]) =>
  Object.entries(transitions).map(([name, apply]) => ({
    from,
    path,
    name,
    apply,
    to: to[name as Transition],
  })),
)

describe('the state of a run', () => {
  it.each(cases)('$from: $name leads to $to', ({ from, path, name, apply, to }) => {
    const life = new RunLife()
    for (const step of path) transitions[step](life)
    expect(nameOf(life.state)).toBe(from)
    if (to === undefined && name !== 'checkpoint') {
      expect(() => apply(life)).toThrow(/^A run that is .+ cannot .+\.$/)
      expect(nameOf(life.state)).toBe(from)
    } else {
      apply(life)
      expect(nameOf(life.state)).toBe(to ?? from)
    }
  })

  it('has a reason while it is lost, and none after', () => {
    const life = new RunLife()
    expect(life.lostBy).toBeUndefined()
    life.park()
    life.lose(failure)
    expect(life.lostBy).toBe(failure)
    life.resume()
    expect(life.lostBy).toBe(failure)
    life.reopen()
    expect(life.lostBy).toBeUndefined()
  })
})
