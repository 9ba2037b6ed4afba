import { describe, expect, it } from 'vitest'
import { Stage } from './run.fixture.ts'
import type { SteeringMemory } from './steering.ts'

describe('what the user says beside results', () => {
  const memory = (): SteeringMemory => ({ isSilent: false })
  /** A run that was given a result and words. */
  function steered(at = memory()) {
    const stage = new Stage({}, [], undefined, at)
    stage.add()
    stage.pass(60)
    const [callId = ''] = stage.run.waitingFor
    stage.resume({ [callId]: 'three' }, {}, 'and hurry')
    const kinds = () =>
      stage.replies.flatMap(({ message }) =>
        message.case === 'conversationAction' || message.case === 'execClientMessage' ? [message] : [],
      )
    return { stage, kinds }
  }
  const idOf = ([first]: ReturnType<ReturnType<typeof steered>['kinds']>) =>
    first?.case === 'conversationAction' && first.value.action.case === 'injectContextAction'
      ? first.value.action.value.injectionId
      : ''
  const tell = (
    stage: Stage,
    injectionId: string,
    how: 'queued' | 'delivered' | 'rejected' | 'queuedForNextTurn',
  ) => {
    const state = { state: { case: how, value: {} } }
    stage.update({ case: 'contextInjectionState', value: { injectionId, state } })
    stage.pass(0)
  }
  const said = (kinds: ReturnType<ReturnType<typeof steered>['kinds']>) =>
    JSON.stringify(kinds.slice(1), (_, value) => (typeof value === 'bigint' ? String(value) : value))

  it.each(['queued', 'delivered'] as const)('is injected: %s, then the results follow without it', (how) => {
    const { stage, kinds } = steered()
    expect(kinds()).toHaveLength(1)
    tell(stage, 'another', 'rejected')
    expect(kinds()).toHaveLength(1)
    tell(stage, idOf(kinds()), how)
    expect(kinds()).toHaveLength(2)
    expect(said(kinds())).not.toContain('and hurry')
    tell(stage, idOf(kinds()), 'delivered')
    expect(kinds()).toHaveLength(2)
  })

  it.each(['rejected', 'queuedForNextTurn'] as const)('is added to a result if it is %s', (how) => {
    const { stage, kinds } = steered()
    tell(stage, idOf(kinds()), how)
    expect(said(kinds())).toContain('and hurry')
  })

  it('is added to a result if the service does not respond, which is remembered', () => {
    const at = memory()
    const { stage, kinds } = steered(at)
    stage.pass(2_999)
    expect(kinds()).toHaveLength(1)
    stage.pass(1)
    expect(said(kinds())).toContain('and hurry')
    expect(at.isSilent).toBe(true)
    expect(idOf(steered(at).kinds())).toBe('')
  })

  it('is added to a result if another call arrives first', () => {
    const { stage, kinds } = steered()
    stage.add()
    stage.pass(0)
    expect(kinds()).toHaveLength(2)
    expect(said(kinds())).toContain('and hurry')
    stage.pass(60)
    expect(stage.run.waitingFor).toHaveLength(1)
  })
})
