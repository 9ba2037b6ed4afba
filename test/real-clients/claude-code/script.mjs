// What a scenario is made of: the model's side of it, and what was asked, told and offered.
import { join } from 'node:path'
import { mcpServer, write } from './rig.mjs'

export const call = (name, input, id) => ({ call: { name, arguments: input, ...(id && { id }) } })
/** Cursor takes the tools of a run with its first message: with new ones the gateway begins a run. */
export const newTools = 'new tools'
export const turns = (rig, ...answers) => {
  if (isCursor(rig)) return rig.sim.play(...toRuns(answers))
  const steps = answers.filter((answer) => answer !== newTools)
  return rig.sim.play(...steps.map((one) => ({ steps: one })))
}
export const readme = (rig) => call('Read', { file_path: join(rig.workspace, 'README.md') })
export const posts = (rig) =>
  rig.seen.filter(({ method, path }) => method === 'POST' && path.startsWith('/v1/messages?'))
export const asked = (rig) =>
  isCursor(rig) ? rig.sim.runs.map(ofRun) : rig.sim.requests.filter(({ method }) => method === 'POST')
export const told = (rig, at = -1) => asked(rig).at(at)?.bodyText ?? ''
export const offered = (rig, at = -1) =>
  (asked(rig).at(at)?.body?.tools ?? []).map(
    ({ name, toolName, function: made }) => toolName || (name ?? made?.name),
  )
export const refusals = (rig) => posts(rig).filter(({ status }) => status >= 400)
export const isAnthropic = (rig) => rig.kind === 'anthropic'
const isCursor = (rig) => rig.kind === 'cursor'

/** A run of Cursor's takes all answers up to new tools: it waits for the results of its calls. */
function toRuns(answers) {
  const runs = [[]]
  for (const answer of answers)
    if (answer === newTools) runs.push([])
    else runs.at(-1).push(...answer.flatMap(toRunSteps))
  return runs.map((steps) => [...steps, { end: true }])
}

const toRunSteps = (step) =>
  step.call
    ? [{ exec: { mcp: { name: step.call.name, args: step.call.arguments } } }, { await: 'results' }]
    : [step]

/** What a run was told: its history is in blobs, its tools and the results of its calls in later messages. */
function ofRun({ request, context, received, headers }) {
  const plain = (_, value) => (typeof value === 'bigint' ? String(value) : value)
  const blobs = request.preFetchedBlobs.map(({ value }) => Buffer.from(value).toString('utf8'))
  const parts = [request.action, request.mcpTools, context, received]
  const tools = [...(request.mcpTools?.mcpTools ?? []), ...(context?.tools ?? [])]
  return { bodyText: [...blobs, JSON.stringify(parts, plain)].join('\n'), body: { tools }, headers }
}

/** The first claim that does not hold. */
export const unmet = (claims) => Object.entries(claims).find(([, holds]) => !holds)?.[0]

export const mcp = (rig, env) => {
  const path = join(rig.folder, 'mcp.json')
  write(path, { mcpServers: { weather: { command: process.execPath, args: [mcpServer], env } } })
  return ['--mcp-config', path, '--strict-mcp-config']
}
/** A search of the service in its answer. */
export const searchBlocks = [
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'node 24' } },
  {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: [
      {
        type: 'web_search_result',
        url: 'https://news.example/24',
        title: 'Node 24',
        encrypted_content: 'xx',
        page_age: null,
      },
    ],
  },
].flatMap((block, at) => [
  // After the text, which is the first block.
  {
    frame: { type: 'content_block_start', index: at + 1, content_block: block },
    event: 'content_block_start',
  },
  { frame: { type: 'content_block_stop', index: at + 1 }, event: 'content_block_stop' },
])
export const forecast = 'mcp__weather__forecast'
export const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
