// T80: Codex's own search for tools, on every kind of backend but Anthropic (codex.test.ts): its catalogue offers the search for all of
// them.

import { expect, it } from 'vitest'
import { type Other, others, toldTo, useContractBench } from '../claude-code/bench.ts'
import type { Body } from '../harness.ts'
import { readResponsesStream } from '../responses-stream.ts'

const bench = useContractBench()

const search = {
  ...{ type: 'tool_search', execution: 'client', description: 'Finds tools of MCP servers.' },
  parameters: { type: 'object', properties: { query: { type: 'string' } } },
}
const lookup = {
  ...{
    type: 'function',
    name: 'lookup',
    description: 'Looks a word up.',
    strict: false,
    defer_loading: true,
  },
  parameters: { type: 'object', properties: { word: { type: 'string' } } },
}
const found = { type: 'namespace', name: 'mcp__docs', description: 'Documents', tools: [lookup] }

async function ask(model: string, input: Body[]) {
  const answer = await fetch(`${bench.url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'codex_exec/0.166.0' },
    body: JSON.stringify({ model, input, tools: [search], store: false, stream: true }),
  })
  expect(answer.status).toBe(200)
  return readResponsesStream(answer)
}

/** A run of Cursor's waits for the result, and gives way to one that has the new tool. */
function play(other: Other, name: string, args: Record<string, string>): void {
  const exec = { exec: { mcp: { name, args } } }
  if (other === 'cursor') bench.cursor.play([exec, { await: 'results' }, { end: true }])
  else bench[other === 'responses' ? 'openai' : other].play([{ call: { name, arguments: args } }])
}

it.each(Object.entries(others) as [Other, string][])(
  "T80: %s: the search is the client's, and what it found is called by its namespace",
  async (other, model) => {
    const input: Body[] = [{ role: 'user', content: 'What is a dragoman?' }]
    play(other, 'tool_search', { query: 'words' })
    const first = await ask(model, input)
    expect(first.problems).toEqual([])
    const made = (first.items as Body[]).find(({ type }) => type === 'tool_search_call')
    expect(made).toMatchObject({ execution: 'client', arguments: { query: 'words' } })
    expect(toldTo(bench, other)).not.toContain('Looks a word up.')

    const { call_id } = made as Body
    const output = { ...{ type: 'tool_search_output', call_id, execution: 'client' }, tools: [found] }
    play(other, other === 'responses' ? 'lookup' : 'mcp__docs__lookup', { word: 'dragoman' })
    const second = await ask(model, [...input, made as Body, { ...output, status: 'completed' }])
    expect(second.problems).toEqual([])
    // There the items pass, and the simulator's call is a plain one.
    if (other !== 'responses')
      expect(second.calls).toMatchObject([
        { name: 'lookup', namespace: 'mcp__docs', input: '{"word":"dragoman"}' },
      ])
    expect(toldTo(bench, other)).toContain('Looks a word up.')
  },
)
