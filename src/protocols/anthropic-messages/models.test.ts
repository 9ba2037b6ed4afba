import { describe, expect, it } from 'vitest'
import { describeModel } from '../../../sim/anthropic/model-list.ts'
import { DOCUMENTED, findModel } from '../../../sim/anthropic/models.ts'
import { listedFacts } from './capabilities.ts'
import { anthropicModel } from './models.ts'

/** The simulator's row, which was written independently, converted to the gateway's terms. */
function simulated(name: string) {
  const model = findModel(name)
  const takes = (type: string) => model.thinking.some((each) => each === type)
  const budget = takes('enabled')
  const off = takes('between_tools') ? 'between_tools' : takes('disabled') ? 'disabled' : 'never'
  return {
    thinking: takes('adaptive') ? (budget ? 'both' : 'adaptive') : 'budget',
    thinkingOff: model.thinksByDefault ? off : 'omit',
    thinksByDefault: model.thinksByDefault,
    hidesThinking: model.omitsThinking,
    efforts: model.effort,
    limitsEffortWhenOff: model.thinksByDefault && model.limitsEffortWhenOff && off !== 'never',
    sampling: { free: 'all', either: 'one', defaults: 'defaults', removed: 'none' }[model.sampling],
    forcedToolChoice: model.forcedToolChoice,
    prefill: model.prefill,
    structuredOutput: true,
    outputTokens: model.maxOutputTokens,
    contextTokens: model.contextTokens,
    systemMessages: model.systemMessages,
    prefixCheck: model.prefixCheck !== 'no accounts',
    recognised: true,
    known: true,
  }
}

describe.each(DOCUMENTED)('%s', (name) => {
  const facts = anthropicModel(name)

  it('has the same facts as the simulator', () => {
    expect({
      ...facts,
      limitsEffortWhenOff: facts.limitsEffortWhenOff && facts.thinkingOff !== 'never',
    }).toEqual(simulated(name))
  })

  it('gets the same facts from its listing', () => {
    expect({ ...facts, ...listedFacts(describeModel(findModel(name), { tells: true })) }).toEqual(facts)
  })
})

describe('a name without a row', () => {
  it.each([
    ['claude-opus-6', 'claude-opus-5-5'],
    ['claude-opus-4-9', 'claude-opus-4-8'],
    ['claude-haiku-5', 'claude-haiku-4-5'],
    ['anthropic.claude-nova-1-v1:0', 'claude-fable-5-2'],
  ])('%s is like %s, but not known', (name, like) => {
    expect(anthropicModel(name)).toEqual({ ...anthropicModel(like), recognised: false, known: false })
  })

  it('that is not Claude gets the facts of most servers', () => {
    expect(anthropicModel('kimi-k3')).toMatchObject({
      thinking: 'budget',
      recognised: false,
      prefixCheck: false,
    })
  })
})

describe('a listing', () => {
  const entry = (capabilities: unknown) => ({ id: 'claude-nova-1', max_tokens: 9, capabilities })

  it('overrides the table', () => {
    const types = {
      adaptive: { supported: true },
      disabled: { supported: true },
      enabled: { supported: true },
    }
    const effort = { supported: true, low: { supported: true }, max: { supported: false } }
    expect(listedFacts(entry({ thinking: { supported: true, types }, effort }))).toEqual({
      outputTokens: 9,
      known: true,
      thinking: 'both',
      thinkingOff: 'disabled',
      efforts: ['low'],
    })
    expect(listedFacts(entry({ thinking: { supported: false } }))).toMatchObject({ thinking: 'none' })
  })

  it.each([null, undefined, [], 'x', { thinking: 1, effort: null, structured_outputs: [] }])(
    'without capabilities (%j) says nothing about them',
    (capabilities) => {
      expect(listedFacts(entry(capabilities))).toEqual({ outputTokens: 9, known: true })
    },
  )
})
