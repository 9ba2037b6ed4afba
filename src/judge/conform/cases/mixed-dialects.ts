import { at } from '../../clients/json.ts'
import { scriptedCases } from '../case.ts'
import { asked, calls, includes, same } from '../judge.ts'
import { says, turn } from '../upstream/turn.ts'
import { accepted, both, choiceOf, contains, group, schemaOf } from './request-parts.ts'
import { github, read, tools } from './tools.ts'

const toolUse = { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a' } }
const toolResult = { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'alpha' }] }
const patch = { type: 'custom', name: 'ApplyPatch', description: 'Edit files.' }
const patchText = '*** Begin Patch\n"x"\n'
const flat = { type: 'function', name: 'read', parameters: read.schema }
const bare = { name: 'read', description: 'Read a file.', input_schema: read.schema }

export const mixedDialectCases = scriptedCases(group, [
  {
    id: 'T18',
    title: "Anthropic's content blocks on the Chat route (Cursor IDE)",
    why: '"user messages must have non-empty content"',
    noticedBy: ['Cursor IDE'],
    link: github('automazeio/vibeproxy/issues/411'),
    upstreams: both,
    doors: ['chat'],
    ask: ({ mark }) => ({
      tools,
      messages: [
        {
          role: 'raw',
          items: [
            { role: 'user', content: `go ${mark}` },
            { role: 'assistant', content: [toolUse] },
            { role: 'user', content: [toolResult, { type: 'text', text: 'and now?' }] },
          ],
        },
      ],
    }),
    play: says('so'),
    judge: (answer, context) => {
      accepted(answer, context)
      contains(context, 'toolu_1', 'alpha', 'and now?')
    },
  },
  {
    id: 'T18b',
    title: "Anthropic's tools and tool_choice on the Chat route (Cursor IDE)",
    why: 'the tools are dropped or refused',
    noticedBy: ['Cursor IDE'],
    link: github('router-for-me/CLIProxyAPI/issues/3805'),
    upstreams: both,
    doors: ['chat'],
    ask: { more: { tools: [bare], tool_choice: { type: 'tool', name: 'read' } } },
    play: turn([{ call: 'read', id: 'call_a', input: '{"path":"a"}' }], 'tool_calls'),
    judge: (answer, context) => {
      accepted(answer, context)
      calls(answer, [['read', { path: 'a' }]])
      includes('the schema', schemaOf(context.upstream, asked(context).body), read.schema)
      same('tool_choice', choiceOf(context.upstream, asked(context).body), 'read')
    },
  },
  {
    id: 'T19',
    title: 'a Responses body on the Chat route gets a Chat answer (Cursor IDE)',
    why: '"messages is required"',
    noticedBy: ['Cursor IDE'],
    link: github('BerriAI/litellm/pull/34029'),
    upstreams: both,
    doors: ['chat'],
    ask: ({ mark }) => ({
      more: {
        messages: undefined,
        input: [{ role: 'user', content: [{ type: 'input_text', text: `read a ${mark}` }] }],
        tools: [flat],
      },
    }),
    play: turn([{ call: 'read', id: 'call_a', input: '{"path":"a"}' }], 'tool_calls'),
    judge: (answer, context) => {
      accepted(answer, context)
      calls(answer, [['read', { path: 'a' }]])
    },
  },
  {
    id: 'T40',
    title: 'a custom tool of Responses is offered to the model and called as a custom tool',
    why: 'Codex and Cursor cannot edit files',
    noticedBy: ['Codex'],
    link: github('BerriAI/litellm/pull/34029'),
    upstreams: both,
    doors: ['responses'],
    ask: { more: { tools: [patch] } },
    play: turn(
      [{ call: 'ApplyPatch', id: 'call_a', input: JSON.stringify({ input: patchText }) }],
      'tool_calls',
    ),
    judge: (answer, context) => {
      accepted(answer, context)
      same(
        'the call',
        answer.calls.map(({ name, arguments: text }) => [name, text]),
        [['ApplyPatch', patchText]],
      )
      same(
        'the item type',
        answer.echo.map((item) => at(item, 'type')),
        ['custom_tool_call'],
      )
    },
  },
])
