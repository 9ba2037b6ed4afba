// T42: calls that share an id, or are the same call twice.

import type { Answer } from '../../clients/answer.ts'
import { shapesAt } from '../../clients/json.ts'
import { type Context, scriptedCases } from '../case.ts'
import { announces, asked, calls, holds, same } from '../judge.ts'
import { says, turn } from '../upstream/turn.ts'
import { accepted, both, contains, go, result } from './request-parts.ts'
import { github, tools } from './tools.ts'

const twice = ['a', 'b'].map((path) => ({ call: 'read', id: 'call_0', input: JSON.stringify({ path }) }))

/** Both calls, in order, under ids of their own. */
const bothCalls = (paths: readonly string[]) => (answer: Answer, context: Context) => {
  calls(
    answer,
    paths.map((path) => ['read', { path }] as const),
  )
  if (announces(answer)) context.credit('announced')
}

export const repeatedIdCases = scriptedCases('calls', [
  {
    id: 'T42',
    title: 'two calls with one id stay two calls, with distinct ids',
    why: 'a result is taken for both calls, or "tool_use ids must be unique": the session cannot continue',
    noticedBy: ['AI SDK', 'OpenCode', 'Claude Code', 'Codex'],
    link: github('OpenRouterTeam/ai-sdk-provider/pull/471'),
    upstreams: both,
    ask: { tools },
    play: turn(twice, 'tool_calls'),
    judge: bothCalls(['a', 'b']),
  },
  {
    id: 'T42b',
    title: 'the same call made twice is kept twice',
    why: 'a call that a gateway drops as a repetition never gets its result',
    noticedBy: ['any client'],
    upstreams: both,
    ask: { tools },
    play: turn(
      ['call_a', 'call_b'].map((id) => ({ call: 'read', id, input: '{"path":"a"}' })),
      'tool_calls',
    ),
    judge: bothCalls(['a', 'a']),
  },
  {
    id: 'T42c',
    title: 'calls of one message with the same id in the history get distinct ids, and each its own result',
    why: '"tool_use ids must be unique": the session cannot continue',
    noticedBy: ['any client'],
    link: github('anthropics/claude-code/issues/20693'),
    upstreams: ['anthropic'],
    doors: ['chat', 'responses', 'gemini'],
    ask: {
      tools,
      messages: [
        go,
        {
          role: 'assistant',
          calls: ['a', 'b'].map((path) => ({
            id: 'call_0',
            name: 'read',
            arguments: JSON.stringify({ path }),
          })),
        },
        result('call_0', 'alpha'),
        result('call_0', 'beta'),
      ],
    },
    play: says('so'),
    judge: (answer, context) => {
      accepted(answer, context)
      contains(context, 'alpha', 'beta')
      const blocks = shapesAt(asked(context).body, 'messages').flatMap((message) =>
        shapesAt(message, 'content'),
      )
      const made = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id)
      const answered = blocks.filter(({ type }) => type === 'tool_result').map(({ tool_use_id: id }) => id)
      holds(new Set(made).size === 2, 'two distinct ids', made)
      same('the ids of the results', answered, made)
      if (announces(answer)) context.credit('announced')
    },
  },
])
