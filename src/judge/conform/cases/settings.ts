// T20 and T21: tools, schemas, tool_choice and system prompts that must reach the upstream.

import type { Answer } from '../../clients/answer.ts'
import { shapesAt } from '../../clients/json.ts'
import { type Context, scriptedCases } from '../case.ts'
import { asked, holds, includes, same, succeeded } from '../judge.ts'
import { everyone, nobody } from '../noticed.ts'
import { says } from '../upstream/turn.ts'
import { accepted, both, choiceOf, contains, group, schemaOf, user } from './request-parts.ts'
import { read, tools } from './tools.ts'

const manyKinds = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'Where', minLength: 1 },
    mode: { enum: ['a', 'b'] },
    lines: { type: 'array', items: { type: 'integer', minimum: 0 } },
    either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    nested: { type: 'object', properties: { x: { type: 'number' } }, additionalProperties: false },
  },
  required: ['path'],
}

const noted = {
  type: 'object',
  properties: { path: { type: 'string', title: 'Path', default: '.', examples: ['src'] } },
}

export const settingCases = scriptedCases(group, [
  {
    id: 'U3',
    title: "a tool's name, description and schema reach the upstream",
    why: 'the model invents arguments',
    noticedBy: everyone,
    upstreams: both,
    ask: { tools: [{ ...read, schema: manyKinds }] },
    play: says('so'),
    judge: (answer, context) => {
      accepted(answer, context)
      contains(context, '"read"', 'Read a file.')
      includes('the schema', schemaOf(context.upstream, asked(context).body), manyKinds)
    },
  },
  {
    id: 'U3b',
    title: 'notes in a schema, such as a default, reach the upstream',
    why: 'the model does not know what it may leave out',
    noticedBy: nobody,
    upstreams: both,
    ask: { tools: [{ ...read, schema: noted }] },
    play: says('so'),
    judge: (answer, context) => {
      accepted(answer, context)
      includes('the schema', schemaOf(context.upstream, asked(context).body), noted)
    },
  },
  ...(
    [
      ['U4', 'required', 'required', ['required', 'any']],
      ['U4b', 'one tool by name', { name: 'read' }, ['read']],
      ['U4c', 'none', 'none', ['none']],
    ] as const
  ).map(([id, how, choice, wanted]) => ({
    id,
    title: `tool_choice: ${how}, in the upstream's dialect`,
    why: 'the model calls a forbidden tool, another tool or none',
    noticedBy: everyone,
    upstreams: both,
    ask: { tools, choice },
    play: says('so'),
    judge: (answer: Answer, context: Context) => {
      accepted(answer, context)
      const { body } = asked(context)
      // Without tools, none can be called.
      if (choice === 'none' && shapesAt(body, 'tools').length === 0) return
      const found = choiceOf(context.upstream, body)
      holds(
        (wanted as readonly string[]).includes(found),
        `tool_choice ${wanted.join(' or ')}`,
        body.tool_choice,
      )
    },
  })),
  {
    id: 'U5',
    title: 'the system prompt reaches the upstream',
    why: 'the agent works without its instructions',
    noticedBy: everyone,
    upstreams: both,
    ask: { messages: [{ role: 'system', text: 'Answer as a pirate.' }, user('hello')] },
    play: says('arr'),
    judge: (answer, context) => {
      accepted(answer, context)
      contains(context, 'Answer as a pirate.')
    },
  },
  {
    id: 'U6',
    title: 'the token limit reaches the upstream',
    why: 'answers cost more than allowed, or are cut off early',
    noticedBy: everyone,
    upstreams: both,
    ask: { maxTokens: 321 },
    play: says('so'),
    judge: (answer, context) => {
      accepted(answer, context)
      const { body } = asked(context)
      same('the limit', body.max_tokens ?? body.max_completion_tokens, 321)
    },
  },
  {
    id: 'U6b',
    title: 'a request without a token limit gets one if the upstream requires it',
    why: '"max_tokens: Field required"',
    noticedBy: everyone,
    upstreams: ['anthropic'],
    doors: ['chat', 'responses', 'gemini'],
    play: says('so'),
    judge: (answer, context) => {
      succeeded(answer)
      holds(Number(asked(context).body.max_tokens) > 0, 'max_tokens', 'none')
    },
  },
  {
    id: 'U7',
    title: 'a temperature of 0 reaches the upstream',
    why: '0 is mistaken for "not set": answers vary',
    noticedBy: everyone,
    upstreams: both,
    ask: ({ door }) => ({
      more: door.name === 'gemini' ? { generationConfig: { temperature: 0 } } : { temperature: 0 },
    }),
    play: says('so'),
    judge: (answer, context) => {
      accepted(answer, context)
      same('the temperature', asked(context).body.temperature, 0)
    },
  },
])
