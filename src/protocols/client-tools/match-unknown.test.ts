import { describe, expect, it } from 'vitest'
import { tool } from './clients.fixture.ts'
import type { Job, JobKind } from './job.ts'
import { redirect } from './redirect.ts'

const jobs: Record<JobKind, Job> = {
  shell: { kind: 'shell', command: 'x' },
  read: { kind: 'read', path: '/x' },
  write: { kind: 'write', path: '/x', content: 'x\n' },
  delete: { kind: 'delete', path: '/x' },
  list: { kind: 'list', path: '/x' },
  grep: { kind: 'grep', pattern: 'x', mode: 'content' },
  glob: { kind: 'glob', pattern: 'x' },
  fetch: { kind: 'fetch', url: 'http://x' },
  diagnostics: { kind: 'diagnostics', path: '/x' },
}

const decoys = [
  tool('read_email', { 'path!': 'string' }, 'Read an email'),
  tool('read', { 'path!': 'string' }, 'Mark a message as read'),
  tool('read', { 'id!': 'string' }, 'Read a file by its id'),
  tool('read_file', { 'file_id!': 'string' }, 'Read a file'),
  tool('read_file', { 'path!': 'string', 'bucket!': 'string' }, 'Read a file'),
  tool('read_file', { 'path!': 'string' }, 'Read a file from the S3 bucket'),
  tool('read_file', { 'path!': { type: 'integer' } }, 'Read a file'),
  tool('mcp__gdrive__read_file', { 'path!': 'string' }, 'Read a file'),
  tool('mcp__github__get_file_contents', { 'path!': 'string' }, 'Get the contents of a file'),
  tool(
    'get_file_contents',
    { 'owner!': 'string', 'repo!': 'string', 'path!': 'string' },
    'Get file contents',
  ),
  tool('read_file_metadata', { 'path!': 'string' }, 'Size and dates of a file'),
  tool('read_image_file', { 'path!': 'string' }, 'Read an image file'),
  tool('view_image', { 'path!': 'string' }, 'View a local image file'),
  tool('view', { 'name!': 'string' }, 'Show a view of the file'),
  tool('open_file', { 'path!': 'string', 'line!': 'integer' }, 'Open a file in the editor'),
  tool('get_file_diagnostics_report', { 'path!': 'string' }),
  tool('upload_file', { 'path!': 'string', 'content!': 'string' }),
  tool('write_file', { 'path!': 'string', 'content!': 'string' }, 'Write a file to the remote server'),
  tool('append_to_file', { 'path!': 'string', 'content!': 'string' }, 'Append text to a file'),
  tool('write_memory', { 'path!': 'string', 'content!': 'string' }),
  tool('create_file', { 'path!': 'string', 'content!': 'string' }, 'Create a new, empty entry'),
  tool('write', { 'path!': 'string', 'content!': 'string' }, 'Write a letter'),
  tool('edit_file', { 'path!': 'string', 'content!': 'string' }, 'Edit a file'),
  tool('delete_files', { 'path!': 'string' }, 'Delete everything below a path'),
  tool('delete_email', { 'path!': 'string' }),
  tool('delete_file_from_index', { 'path!': 'string' }),
  tool('remove_file', { 'path!': 'string', 'recursive_confirm!': 'string' }, 'Remove a file'),
  tool('run_tests', { 'command!': 'string' }, 'Run the tests with a shell command'),
  tool('execute_sql', { 'command!': 'string' }, 'Execute a command'),
  tool('run_command', { 'command!': 'string' }, 'Run a command of the game'),
  tool('run_command', { 'command!': 'string' }, 'Run an editor command'),
  tool('exec', { 'code!': 'string' }, 'Run Python code in a shell'),
  tool('run_code', { 'command!': 'string' }, 'Run code in a terminal'),
  tool('bash', { 'command!': 'string', 'host!': 'string' }, 'Run bash on a host'),
  tool('ssh_exec', { 'command!': 'string' }, 'Run a shell command'),
  tool('docker_exec', { 'command!': 'string' }, 'Run a shell command'),
  tool('bash', { 'command!': 'string' }, 'Runs a command in a remote container'),
  tool('terminal', { 'command!': { type: 'string', enum: ['open', 'close'] } }, 'Open or close the terminal'),
  tool('kill_shell', { 'shell_id!': 'string' }),
  tool('task', { 'command!': 'string', 'prompt!': 'string' }, 'Launch an agent'),
  tool('list_files', { 'path!': 'string' }, 'List the files of a Google Drive'),
  tool('list_issues', { 'path!': 'string' }),
  tool('search', { 'query!': 'string' }, 'Search the web'),
  tool('search_code', { 'query!': 'string' }, 'Semantic search by meaning, not by regex'),
  tool('search_files', { 'pattern!': 'string' }, 'Search files'),
  tool('find_files', { 'query!': 'string' }, 'Find files that are about something'),
  tool('grep', { 'pattern!': 'string' }, 'Search in the logs of a remote server'),
  tool('execute_command', { 'command!': 'string' }, 'Execute a command of the robot'),
  tool('grep', { 'logs!': 'string' }, 'Search in logs'),
  tool('web_search', { 'query!': 'string' }),
  tool('fetch', { 'url!': 'string', 'token!': 'string' }, 'Fetch a page'),
  tool('fetch_issue', { 'url!': 'string' }),
  tool('browser_navigate', { 'url!': 'string' }),
  tool('post_url', { 'url!': 'string' }),
  tool('__proto__', { 'path!': 'string' }),
  tool('constructor', { 'command!': 'string' }),
]

describe('decoys', () => {
  for (const decoy of decoys) {
    it(`${decoy.name}(${Object.keys(decoy.schema.properties ?? {})}) ${decoy.description}`, () => {
      const taken = Object.values(jobs).filter(
        (job) => redirect(job, [decoy], { workspace: '/w' }) !== undefined,
      )
      expect(taken).toEqual([])
    })
  }
  it('are at least 40', () => expect(decoys.length).toBeGreaterThanOrEqual(40))
})

describe('unknown tools that clearly do the job', () => {
  const known: [JobKind, ReturnType<typeof tool>][] = [
    ['read', tool('readFile', { 'path!': 'string' }, 'Reads a file')],
    ['read', tool('view_file', { 'filePath!': 'string' })],
    ['read', tool('mcp__filesystem__read_text_file', { 'path!': 'string' }, 'Read a file')],
    ['write', tool('saveFile', { 'filename!': 'string', 'content!': 'string' })],
    [
      'write',
      tool('mcp__filesystem__write_file', { 'path!': 'string', 'content!': 'string' }, 'Overwrites a file'),
    ],
    ['delete', tool('remove_file', { 'path!': 'string' })],
    ['list', tool('ls', { path: 'string' }, 'List a directory')],
    ['list', tool('mcp__filesystem__list_directory', { 'path!': 'string' })],
    ['shell', tool('run_command', { 'command!': 'string' }, 'Run a shell command')],
    ['shell', tool('executeBash', { 'command!': 'string' })],
    ['shell', tool('exec', { 'cmd!': 'string: the shell command' })],
    ['grep', tool('ripgrep', { 'pattern!': 'string' })],
    ['grep', tool('search_files', { 'regex!': 'string' }, 'Search with a regular expression')],
    ['glob', tool('find_files', { 'pattern!': 'string: a glob pattern' })],
    ['fetch', tool('fetchUrl', { 'url!': 'string' })],
    ['diagnostics', tool('getDiagnostics', { 'uri!': 'string' })],
  ]
  for (const [kind, offered] of known) {
    it(`${kind}: ${offered.name}`, () => {
      expect(redirect(jobs[kind], [offered], { workspace: '/w' })?.tool).toBe(offered.name)
      const others = Object.values(jobs).filter((job) => job.kind !== kind && kind !== 'shell')
      expect(others.filter((job) => redirect(job, [offered], { workspace: '/w' }) !== undefined)).toEqual([])
    })
  }

  it('gives a URI if the parameter is one', () => {
    const offered = tool('getDiagnostics', { 'uri!': 'string' })
    const read = redirect({ kind: 'diagnostics', path: '/a b' }, [offered])?.read
    expect(read?.({ text: 'ERROR [1:2] x is not defined', isError: false }).kind).toBe('diagnostics')
    expect(redirect({ kind: 'diagnostics', path: '/a b' }, [offered])?.input).toEqual({
      uri: 'file:///a%20b',
    })
  })
})
