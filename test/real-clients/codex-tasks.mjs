// What Codex is put through, and how one sees that it went well. The model's side is scripted: each list in `turns` is one answer.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const patch = '*** Begin Patch\n*** Add File: patched.txt\n+by apply_patch\n*** End Patch\n'
const program = `notify("half-way")
const result = await tools.exec_command({ cmd: "cat README.md" })
text(result.output)`
const call = (name, args) => ({ call: { name, arguments: args } })
const say = (text) => ({ say: text })
const readFile = [call('exec_command', { cmd: 'cat README.md' })]
const word = 'The magic word is 4711'
const found = (text, words) => (text.includes(words) ? undefined : `${JSON.stringify(words)} is missing`)
const noWarning = ({ output }) =>
  output.includes('Model metadata for') ? 'Codex has no metadata of the model' : undefined
const times = (turns, count) => Array.from({ length: count }, () => turns).flat()

/** `bodies`: the requests of Codex, as text; `statuses` and `upgrades`: how they were answered. */
export const tasks = {
  'read a file': {
    turns: [readFile, [say('Done.')]],
    check: (run) => noWarning(run) ?? found(run.bodies.at(-1), word),
  },
  'MCP tools, deferred and found': {
    mcp: true,
    turns: [
      [call('tool_search', { query: 'magic word' })],
      [call('mcp__demo__magic_word', {})],
      [say('It is sesame-4711.')],
    ],
    check: (run) =>
      noWarning(run) ??
      (run.bodies[0].includes('"name":"magic_word"') ? 'the MCP tools were not deferred' : undefined) ??
      found(run.bodies.at(-1), '"type":"tool_search_output"') ??
      found(run.bodies.at(-1), 'sesame-4711'),
  },
  apply_patch: {
    turns: [[call('apply_patch', { input: patch })], [say('Patched.')]],
    check({ workspace, bodies }) {
      const file = join(workspace, 'patched.txt')
      if (!existsSync(file) || readFileSync(file, 'utf8') !== 'by apply_patch\n')
        return 'the patch was not applied'
      return found(bodies.at(-1), 'Success. Updated the following files')
    },
  },
  'code mode': {
    // A name that ends like one of Codex's own models, and no catalogue that says otherwise.
    alias: 'x/gpt-6-sol',
    turns: [[call('exec', { input: program })], [say('Done.')]],
    check: ({ bodies }) =>
      found(bodies[0], '"type":"additional_tools"') ??
      found(bodies.at(-1), 'half-way') ??
      found(bodies.at(-1), word),
  },
  'WebSocket on': {
    webSocket: 'on',
    turns: [readFile, [say('Done.')]],
    check: ({ upgrades, bodies, output }) =>
      upgrades.join() === '101' && bodies.length === 0
        ? found(output, word)
        : `upgrades ${upgrades.join()}, ${bodies.length} POSTs`,
  },
  'WebSocket off': {
    webSocket: 'off',
    turns: [readFile, [say('Done.')]],
    check: ({ upgrades, bodies }) =>
      upgrades.join() === '426' && bodies.length === 2
        ? found(bodies[1], word)
        : `upgrades ${upgrades.join()}, ${bodies.length} POSTs`,
  },
  resume: {
    turns: [readFile, [say('It says 4711.')], [say('As I said.')]],
    again: 'What was it again?',
    check: ({ bodies }) =>
      found(bodies[2] ?? '', 'It says 4711.') ?? found(bodies[2] ?? '', 'What was it again?'),
  },
  compaction: {
    settings: 'model_auto_compact_token_limit = 2000\n',
    turns: [readFile, [say('SUMMARY: a file was read.')], [say('Done.')]],
    check: ({ bodies, kinds }) =>
      kinds.includes('compaction')
        ? found(bodies.at(-1), 'SUMMARY: a file was read.')
        : `no compaction: ${kinds.join()}`,
  },
}

const status = (code, body, headers = {}) => [{ status: code, headers, body }]
const error = (message, more = {}) => ({ type: 'error', error: { type: 'api_error', message, ...more } })

/** Backends that fail. `requests`: how often Codex asks; `upstream`: how often the backend is asked. docs/codex.md states both. */
export const failures = {
  'bad request (400)': {
    turns: status(400, error('no such field', { type: 'invalid_request_error' })),
    requests: 1,
    upstream: 1,
  },
  'unknown model': { model: 'nowhere/nothing', turns: [say('Hello')], requests: 1, upstream: 0 },
  'refused upstream key (401)': {
    turns: status(401, error('bad key', { type: 'authentication_error' })),
    requests: 1,
    upstream: 1,
  },
  'context overflow': {
    turns: status(
      400,
      error('prompt is too long: 300000 tokens > 200000 maximum', { type: 'invalid_request_error' }),
    ),
    requests: 1,
    upstream: 1,
  },
  'overloaded (529)': {
    turns: status(529, error('Overloaded', { type: 'overloaded_error' })),
    requests: 6,
    upstream: 15,
  },
  'rate limit (429), 1 s': {
    turns: status(429, error('Slow down', { type: 'rate_limit_error' }), { 'retry-after': '1' }),
    requests: 6,
    upstream: 16,
  },
  'upstream 500': { turns: status(500, error('Internal')), requests: 6, upstream: 15 },
  'upstream 503': { turns: status(503, error('Unavailable')), requests: 6, upstream: 15 },
  "refused key of Codex's own (401)": {
    key: 'sk-dragoman-0123456789abcdef0123456789',
    turns: [say('Hello')],
    requests: 12,
    upstream: 0,
  },
  'connection refused': { dead: true, turns: [], requests: 6, upstream: 0 },
  'cut in mid-stream': { turns: [say('Half of'), { fault: 'reset' }], requests: 6, upstream: 6 },
}
export { times }
