// Calls that do not fit their tool. A gateway may hand them out unchanged: the client answers with an error that the model can
// use. It may mend them, for which there is a credit. It must not lose them, drop a field, or change them into something that
// fits no better.

import { isDeepStrictEqual } from 'node:util'
import { type Answer, doorNames, type Tool } from '../../clients/answer.ts'
import { type Case, type Context, scriptedCases, Unmet } from '../case.ts'
import { announces, callsOf, same, succeeded } from '../judge.ts'
import { everyone } from '../noticed.ts'
import { turn } from '../upstream/turn.ts'
import { both } from './request-parts.ts'
import { readFile } from './tools.ts'

const string = { type: 'string' }

const edit: Tool = {
  name: 'edit',
  description: 'Edit a file.',
  schema: {
    type: 'object',
    properties: {
      path: string,
      line: { type: 'integer' },
      all: { type: 'boolean' },
      tags: { type: 'array', items: string },
      options: { type: 'object', properties: { deep: { type: 'boolean' } } },
      note: string,
    },
    required: ['path'],
  },
}

interface Misfit {
  id: string
  title: string
  why: string
  name?: string
  /** The arguments as the model writes them. */
  sent: Record<string, unknown>
  /** The repaired call. Absent: nothing is to be changed. */
  mended?: { name?: string; input: Record<string, unknown> }
}

const misfits: readonly Misfit[] = [
  {
    id: 'U33',
    title: 'a tool name in another spelling',
    why: 'the call is lost, or calls another tool',
    name: 'readFile',
    sent: { path: 'a' },
    mended: { name: 'read_file', input: { path: 'a' } },
  },
  {
    id: 'U33b',
    title: 'a tool that does not exist',
    why: 'the model never learns that there is no such tool',
    name: 'teleport',
    sent: { path: 'a' },
  },
  {
    id: 'U34',
    title: 'a number as text',
    why: 'the argument is lost, or becomes another number',
    sent: { path: 'a', line: '12' },
    mended: { input: { path: 'a', line: 12 } },
  },
  {
    id: 'U34b',
    title: 'true as text',
    why: 'the argument is lost, or means the opposite',
    sent: { path: 'a', all: 'true' },
    mended: { input: { path: 'a', all: true } },
  },
  {
    id: 'U35',
    title: 'JSON text where an object belongs',
    why: 'the argument is lost or encoded twice',
    sent: { path: 'a', options: '{"deep":true}' },
    mended: { input: { path: 'a', options: { deep: true } } },
  },
  {
    id: 'U35b',
    title: 'JSON text where a list belongs',
    why: 'the argument is lost or encoded twice',
    sent: { path: 'a', tags: '["x","y"]' },
    mended: { input: { path: 'a', tags: ['x', 'y'] } },
  },
  {
    id: 'U36',
    title: 'null for an optional field',
    why: 'clients refuse the call, or an invented value stands in for it',
    sent: { path: 'a', note: null },
    mended: { input: { path: 'a' } },
  },
  {
    id: 'U37',
    title: 'one value where a list belongs',
    why: 'the argument is lost, or split into letters',
    sent: { path: 'a', tags: 'x' },
    mended: { input: { path: 'a', tags: ['x'] } },
  },
  {
    id: 'U38',
    title: 'a value that cannot be made to fit stays what it is',
    why: 'an invented value is acted on',
    sent: { path: 'a', line: 'the last one' },
  },
  {
    id: 'U39',
    title: 'values that fit but look like others stay what they are',
    why: 'a repair damages a correct call: "007" becomes 7',
    sent: { path: '007', tags: ['1', 'null'], note: '{"deep":true}', options: { deep: false } },
  },
  {
    id: 'U40',
    title: 'an argument that the schema does not name is kept',
    why: 'tools that accept more than they list lose it',
    sent: { path: 'a', extra: { x: 1 } },
  },
]

function fits(answer: Answer, context: Context, { name = 'edit', sent, mended }: Misfit): void {
  succeeded(answer)
  same('the number of calls', answer.calls.length, 1)
  const [came] = callsOf(answer)
  if (isDeepStrictEqual(came, [name, sent])) return
  const repaired = mended && [mended.name ?? name, mended.input]
  if (!isDeepStrictEqual(came, repaired))
    throw new Unmet(
      `the call unchanged, ${JSON.stringify([name, sent])}${repaired ? `, or mended, ${JSON.stringify(repaired)}` : ''}`,
      JSON.stringify(came),
    )
  context.credit('mended')
  if (announces(answer)) context.credit('announced')
}

export const misfitCases: readonly Case[] = scriptedCases(
  'misfits',
  misfits.map((misfit) => ({
    id: misfit.id,
    title: `${misfit.title}${misfit.mended ? ': unchanged or mended' : ''}`,
    why: misfit.why,
    noticedBy: everyone,
    upstreams: both,
    doors: doorNames,
    ask: { tools: [edit, readFile] },
    play: turn(
      [{ call: misfit.name ?? 'edit', id: 'call_a', input: JSON.stringify(misfit.sent) }],
      'tool_calls',
    ),
    judge: (answer, context) => fits(answer, context, misfit),
  })),
)
