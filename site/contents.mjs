// The table of contents. Every document is in it once (test/cli/site.test.ts).

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

const docs = (...names) => names.map((name) => `docs/${name}.md`)

/** Files by their paths in the repository. */
export const contents = [
  {
    title: 'Start',
    files: ['README.md', ...docs('tour', 'getting-started', 'service', 'commands', 'glossary')],
  },
  {
    title: 'Clients',
    files: docs(
      'clients',
      'claude-code',
      'codex',
      'opencode',
      'gemini-cli',
      'qwen-code',
      'continue-cline',
      'more-agents',
      'cursor-ide',
      'ollama',
    ),
  },
  {
    title: 'Services and settings',
    files: docs(
      'configuration',
      'backends',
      'clouds',
      'pools',
      'cursor',
      'qwen-web',
      'tool-text',
      'local-tools',
      'lacks',
    ),
  },
  { title: 'Tool calls', files: docs('calls', 'constrained-calls', 'deferred-tools', 'notes', 'wire-cases') },
  {
    title: 'See and solve',
    files: docs('inspector', 'tapes', 'troubleshooting', 'errors', 'limits', 'platforms', 'reliability'),
  },
  {
    title: 'Run it for others',
    files: ['deploy/README.md', ...docs('scaling', 'metrics', 'telemetry', 'threat-model'), 'SECURITY.md'],
  },
  { title: 'Test', files: docs('probe', 'conformance', 'simulators') },
  {
    title: 'Performance',
    files: docs(
      'performance',
      'performance-growth',
      'performance-sessions',
      'performance-start-up',
      'performance-tool-text',
    ),
  },
  {
    title: 'Build on it, change it',
    files: [
      ...docs('library', 'routes'),
      'ARCHITECTURE.md',
      'src/backends/cursor/README.md',
      'src/protocols/openai-chat/servers/README.md',
      'src/protocols/tool-text/README.md',
      'CONTRIBUTING.md',
      'CHANGELOG.md',
    ],
  },
]

export const pages = contents.flatMap(({ files }) => files)

/** The name of a file's page: a folder's README is the folder's page. */
export const pageOf = (file) => file.replace(/(^|\/)README\.md$/, '$1index.md')

/** The first heading of a file, short enough for a list: "Limits: what is missing" is "Limits". */
export function titleOf(file) {
  const [, heading = file] = /^# (.+)$/m.exec(readFileSync(join(root, file), 'utf8')) ?? []
  const [subject, ...rest] = heading.replaceAll('`', '').split(': ')
  return subject === 'Performance' ? rest.join(': ') : subject
}
