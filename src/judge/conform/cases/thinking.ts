import { doorNames } from '../../clients/answer.ts'
import { isShape, shapesAt, textAt } from '../../clients/json.ts'
import { type Case, NotJudged, scriptedCases } from '../case.ts'
import { asked, calls, holds, same, succeeded } from '../judge.ts'
import { everyone } from '../noticed.ts'
import { says, turn } from '../upstream/turn.ts'
import { accepted, both, group, result, user } from './request-parts.ts'
import { github, tools } from './tools.ts'

const thinkingFor = {
  chat: { reasoning_effort: 'low' },
  messages: { thinking: { type: 'enabled', budget_tokens: 1_024 }, max_tokens: 4_096 },
  responses: { reasoning: { effort: 'low' }, include: ['reasoning.encrypted_content'] },
  gemini: { generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: 1_024 } } },
}
const signature = 'c2lnbmVkLWJ5LWNvbmZvcm0='

/** Two turns: the model thinks and calls; the client sends the result with as much of the thinking as its dialect can hold. */
const thinking: Case = {
  id: 'T22',
  group,
  title: 'signed thinking is sent back to the upstream before its call',
  why: '"thinking blocks cannot be modified", or the model forgets what it thought',
  noticedBy: everyone,
  link: github('BerriAI/litellm/issues/41361'),
  needs: 'scripted',
  doors: doorNames,
  forms: ['stream', 'whole'],
  upstreams: ['anthropic'],
  play: (request) =>
    JSON.stringify(request.body).includes('tool_result')
      ? says('so')(request)
      : turn(
          [
            { think: 'Let me see – "a".', signature },
            { call: 'read', id: 'toolu_1', input: '{"path":"a"}' },
          ],
          'tool_calls',
        )(request),
  run: async (context) => {
    const more = thinkingFor[context.door.name]
    const begin = user(`read a ${context.mark}`)
    const first = await context.ask({ tools, more, messages: [begin] })
    calls(first, [['read', { path: 'a' }]])
    if (textAt(asked(context).body, 'thinking', 'type') !== 'enabled')
      throw new NotJudged('the upstream was not asked to think')
    const [call] = first.calls
    const next = await context.ask({
      tools,
      more,
      messages: [begin, { role: 'raw', items: first.echo }, result(call?.id ?? '', 'A')],
    })
    accepted(next, context)
    const { body } = asked(context)
    if (!isShape(body.thinking)) return holds(false, 'the signed thinking', 'thinking was turned off')
    const block = shapesAt(body, 'messages', 1, 'content')[0]
    same(
      'the block before the call',
      block && { type: block.type, thinking: block.thinking, signature: block.signature },
      {
        type: 'thinking',
        thinking: 'Let me see – "a".',
        signature,
      },
    )
  },
}

const forced = scriptedCases(group, [
  {
    id: 'T23',
    title: 'a forced tool_choice with thinking is adapted',
    why: '"Thinking may not be enabled when tool_choice forces tool use"',
    noticedBy: everyone,
    link: github('can1357/oh-my-pi/issues/1484'),
    upstreams: ['anthropic'],
    doors: ['chat', 'responses', 'gemini'],
    ask: ({ door }) => ({ tools, choice: 'required', more: thinkingFor[door.name] }),
    play: turn([{ call: 'read', id: 'call_a', input: '{"path":"a"}' }], 'tool_calls'),
    judge: accepted,
  },
  {
    id: 'T22b',
    title: 'thinking is not part of the answer',
    why: "the user sees the model's thinking, and the client sends it back as an answer",
    noticedBy: everyone,
    upstreams: both,
    play: turn([{ think: 'secret thoughts' }, { text: 'Hello.' }], 'stop'),
    judge: (answer) => {
      succeeded(answer)
      same('the text', answer.text, 'Hello.')
    },
  },
])

export const thinkingCases: readonly Case[] = [thinking, ...forced]
