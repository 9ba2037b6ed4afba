import { expect, it } from 'vitest'
import { withFittingNames } from './fitting-names.ts'

it('a corrected call and the call as it was made get the client’s names back', () => {
  const name = `mcp__server__${'x'.repeat(60)}`
  const fitting = withFittingNames(
    {
      model: 'm',
      messages: [],
      tools: [{ name, schema: {} }],
      stream: true,
      origin: { dialect: 'anthropic-messages', body: {}, faithful: true },
    },
    () => undefined,
  )
  const upstream = fitting.request.tools[0]?.name ?? ''
  const made = { callId: 'c', name: upstream, input: '{"a":"5"}' }
  const end = {
    type: 'tool-call-end' as const,
    block: 0,
    ...made,
    callId: 'c_mended',
    input: '{"a":5}',
    made,
  }
  expect(upstream).not.toBe(name)
  expect(fitting.back([end])).toEqual([{ ...end, name, made: { ...made, name } }])
})
