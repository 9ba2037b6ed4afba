// The tool's name in another spelling.

import { callOf, type Kind, objectOf, readCall, readFile, string, toolOf } from '../kind.ts'

const good = '{"path": "src/a.ts"}'
const issue = objectOf({ title: string })
const issueInput = '{"title": "It fails"}'

const spelt = (id: string, name: string): Kind => ({
  id,
  tools: [readFile],
  call: callOf(name, good),
  class: 'mended',
  becomes: readCall(good),
})

/** A tool of an MCP server: `offered` is how the client names it, `said` how the model does. */
const ofServer = (id: string, offered: string, said: string): Kind => ({
  id,
  tools: [toolOf(offered, issue)],
  call: callOf(said, issueInput),
  class: 'mended',
  becomes: callOf(offered, issueInput),
})

export const nameKinds: readonly Kind[] = [
  spelt('name-in-capitals', 'READ_FILE'),
  spelt('name-with-dash', 'read-file'),
  spelt('name-with-dot', 'read.file'),
  spelt('name-in-camel-case', 'readFile'),
  spelt('name-behind-functions', 'functions.read_file'),
  ofServer('server-left-out', 'mcp__github__create_issue', 'create_issue'),
  ofServer('server-with-dot', 'mcp__github__create_issue', 'github.create_issue'),
  ofServer('server-added', 'create_issue', 'mcp__github__create_issue'),
  {
    id: 'name-of-two-spellings',
    tools: [readFile, toolOf('read-file', objectOf({ path: string }))],
    call: callOf('read.file', good),
    class: 'ambiguous',
    again: readCall(good),
  },
  {
    id: 'tool-of-two-servers',
    tools: [toolOf('mcp__github__create_issue', issue), toolOf('mcp__gitlab__create_issue', issue)],
    call: callOf('create_issue', issueInput),
    class: 'ambiguous',
    again: callOf('mcp__gitlab__create_issue', issueInput),
  },
  {
    id: 'tool-unknown',
    tools: [readFile],
    call: callOf('delete_everything', '{"path": "/"}'),
    class: 'unfit',
    again: readCall(good),
  },
  {
    id: 'tool-nearly-known',
    tools: [readFile],
    call: callOf('read_files', good),
    class: 'unfit',
    again: readCall(good),
  },
  {
    id: 'tool-of-another-server',
    tools: [toolOf('mcp__github__create_issue', issue)],
    call: callOf('mcp__gitlab__create_issue', issueInput),
    class: 'unfit',
    again: callOf('mcp__github__create_issue', issueInput),
  },
  {
    id: 'tool-of-another-server-with-dot',
    tools: [toolOf('mcp__github__create_issue', issue)],
    call: callOf('gitlab.create_issue', issueInput),
    class: 'unfit',
    again: callOf('mcp__github__create_issue', issueInput),
  },
  {
    id: 'tool-with-another-verb',
    tools: [toolOf('file', objectOf({ path: string }))],
    call: callOf('delete_file', good),
    class: 'unfit',
    again: callOf('file', good),
  },
  {
    id: 'fits-name-that-another-resembles',
    tools: [readFile, toolOf('readFile', objectOf({ file: string }))],
    call: readCall(good),
    class: 'fits',
  },
  {
    id: 'fits-bare-name-beside-its-server',
    tools: [toolOf('mcp__github__create_issue', issue), toolOf('create_issue', issue)],
    call: callOf('create_issue', issueInput),
    class: 'fits',
  },
]
