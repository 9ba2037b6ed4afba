// What the tools of public MCP servers cost on each kind of backend, with and without deferral, and whether a search by plain words finds
// the tool for a task. `npm run unit -- test/end-to-end/deferred-tokens.test.ts` prints the table of docs/deferred-tools.md.

import { describe, expect, it } from 'vitest'
import { estimateTokens } from '../../sim/tokens.ts'
import { ToolIndex } from '../../src/protocols/tool-search/tool-index.ts'
import { claude, others, useContractBench } from '../claude-code/bench.ts'
import { mcpServers, mcpTools } from '../fixtures/mcp-tools.ts'
import { type Body, user } from '../harness.ts'
import { ask } from '../wire-cases/deferred-client.ts'

const bench = useContractBench()

const search = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' }
const wire = (isDeferred: boolean): Body[] => [
  {
    name: 'Read',
    description: 'Read a file.',
    input_schema: { type: 'object', properties: { path: { type: 'string' } } },
  },
  ...mcpTools.map(({ name, description, schema }) => ({
    name,
    description,
    input_schema: schema,
    ...(isDeferred ? { defer_loading: true } : {}),
  })),
  ...(isDeferred ? [search] : []),
]

/** What the service takes for its prompt of the last request: on Anthropic, deferred tools that were not found are no part of it. */
const sent = {
  anthropic: () => {
    const body = (bench.anthropic.requests.at(-1)?.body ?? {}) as { tools?: Body[] }
    const tools = body.tools?.filter(({ defer_loading: isDeferred }) => isDeferred !== true)
    return estimateTokens({ ...body, tools })
  },
  openai: () => estimateTokens(bench.openai.requests.at(-1)?.body),
  responses: () => estimateTokens(bench.openai.requests.at(-1)?.body),
  text: () => estimateTokens(bench.text.requests.at(-1)?.body),
  gemini: () => estimateTokens(bench.gemini.requests.at(-1)?.body),
  cursor: () => Math.ceil((bench.cursor.runs.at(-1)?.requestBytes.length ?? 0) / 4),
}

const models: Record<keyof typeof sent, string> = { anthropic: claude, ...others }

async function tokens(kind: keyof typeof sent, isDeferred: boolean): Promise<number> {
  const sims = [bench.anthropic, bench.openai, bench.text, bench.gemini, bench.qwen]
  for (const sim of sims) sim.play([{ say: 'Ready.' }])
  bench.cursor.play([{ say: 'Ready.' }, { end: true }])
  const body = {
    model: models[kind],
    messages: [user('Open an issue about the login page.')],
    tools: wire(isDeferred),
  }
  // A strict service refuses so many tools, and has received them all the same.
  const refused = await ask(bench.url, body).then(
    () => undefined,
    (error: Error) => error.message,
  )
  if (isDeferred || kind !== 'openai') expect(refused).toBeUndefined()
  const count = sent[kind]()
  for (const sim of [...sims, bench.cursor]) sim.clear()
  return count
}

describe('the tools of public MCP servers', () => {
  it('are at least 500 different ones, of at least eight servers', () => {
    process.stdout.write(`${mcpTools.length} tools\n`)
    expect(new Set(mcpTools.map(({ name }) => name)).size).toBe(mcpTools.length)
    expect(mcpTools.length).toBeGreaterThanOrEqual(500)
    expect(new Set(mcpServers.map(({ name }) => name)).size).toBeGreaterThanOrEqual(8)
  })

  it('have names that every service takes, descriptions, and objects of parameters', () => {
    for (const { name, description, schema } of mcpTools) {
      expect(name).toMatch(/^mcp__[\w-]{1,59}$/)
      expect(description?.length, name).toBeGreaterThan(10)
      expect(schema, name).toMatchObject({ type: 'object', properties: expect.any(Object) })
    }
  })

  it('cost a twentieth or less with deferral, on every kind of backend', async () => {
    const lines: string[] = []
    for (const kind of Object.keys(sent) as (keyof typeof sent)[]) {
      const before = await tokens(kind, false)
      const after = await tokens(kind, true)
      lines.push(`| ${kind} | ${before} | ${after} | ${(before / after).toFixed(0)} × |`)
      expect(after * 20).toBeLessThan(before)
    }
    process.stdout.write(`${lines.join('\n')}\n`)
  })

  it('all at once, Gemini gets as many as it takes, and the others are searched', async () => {
    bench.gemini.play([{ say: 'Ready.' }])
    const body = { model: others.gemini, messages: [user('Open an issue.')], tools: wire(false) }
    const { notes } = await ask(bench.url, body)
    const sent = bench.gemini.requests.at(-1)?.body as
      | { tools: { functionDeclarations: Body[] }[] }
      | undefined
    const count = sent?.tools.flatMap(({ functionDeclarations }) => functionDeclarations).length
    expect(count).toBeLessThanOrEqual(512)
    expect(count).toBeGreaterThanOrEqual(512 - 16)
    expect(notes).toMatch(/tools are deferred/)
  })

  it('the web chat takes them deferred alone: they are longer than its messages', async () => {
    const body = (isDeferred: boolean) => ({
      model: others.qwen,
      messages: [user('Open an issue.')],
      tools: wire(isDeferred),
    })
    await expect(ask(bench.url, body(false))).rejects.toThrow('prompt is too long: ')
    expect((await ask(bench.url, body(true))).status).toBe(200)
  })

  it.each([
    ['create a GitHub issue', 'mcp__github__issue_write'],
    ['merge the pull request', 'mcp__github__merge_pull_request'],
    ['retry failed GitLab pipeline', 'mcp__gitlab__retry_pipeline'],
    ['take a screenshot of the browser', 'mcp__playwright__browser_take_screenshot'],
    ['post a Slack message', 'mcp__slack__slack_post_message'],
    ['transition a Jira issue', 'mcp__atlassian__jira_transition_issue'],
    ['Confluence page history', 'mcp__atlassian__confluence_get_page_history'],
    ['query Loki logs', 'mcp__grafana__query_loki_logs'],
    ['refund a payment', 'mcp__stripe__create_refund'],
    ['scale a deployment in the cluster', 'mcp__kubernetes__resources_scale'],
    ['list the files in a directory', 'mcp__filesystem__list_directory'],
    ['Sentry issue details', 'mcp__sentry__get_issue_details'],
  ])('%s: finds %s', (query, wanted) => {
    const found = new ToolIndex(mcpTools).search(query, 5).map((at) => mcpTools[at]?.name)
    expect(found).toContain(wanted)
  })
})
