// Guesses for tools that no row of the vocabulary names: by their name, parameters and description. A wrong match would do
// something that the model never asked for, so any doubt rules a tool out: every word of its name must be known, and nothing
// may hint at anything but local files.

import { textOf } from '../../base/json.ts'
import { followedBy, type Words } from '../../base/words.ts'
import type { Tool } from '../../core/request.ts'
import type { JobKind } from './job.ts'
import { parametersOf } from './parameter-values.ts'

interface Guess {
  /** Names as words. */
  names: readonly string[]
  /** One of these parameters must exist, and be required if any parameter is. */
  takes: readonly string[]
  /** For ambiguous names: what the description of the tool or of a parameter must say. */
  says?: Words
}

const shellWords =
  /\b(?:shell|bash|zsh|terminal|command[- ]line|posix|unix command|system command|subprocess)\b/i
const files = ['filepath', 'absolutepath', 'path', 'file', 'filename', 'targetfile', 'relativepath']

const guesses: Partial<Record<JobKind, readonly Guess[]>> = {
  shell: [
    {
      names: [
        'bash',
        'run bash',
        'execute bash',
        'bash command',
        'run bash command',
        'execute bash command',
        'sh',
      ],
      takes: ['command', 'cmd', 'script'],
    },
    {
      names: [
        'shell',
        'run shell',
        'shell command',
        'run shell command',
        'execute shell command',
        'shell exec',
        'shell execute',
        'terminal',
        'run in terminal',
        'run terminal command',
        'run terminal cmd',
        'execute terminal command',
      ],
      takes: ['command', 'cmd'],
    },
    {
      names: ['run command', 'execute command', 'exec', 'exec command'],
      takes: ['command', 'cmd'],
      says: shellWords,
    },
  ],
  read: [
    {
      names: [
        'read file',
        'file read',
        'view file',
        'get file',
        'open file',
        'cat file',
        'show file',
        'read text file',
        'read file content',
        'read file contents',
        'get file content',
        'get file contents',
        'cat',
      ],
      takes: files,
    },
    { names: ['read', 'view'], takes: files, says: /\bfiles?\b/i },
  ],
  write: [
    { names: ['write file', 'file write', 'write to file', 'save file', 'overwrite file'], takes: files },
    {
      names: ['write', 'create file'],
      takes: files,
      says: followedBy(/\b(?:overwrit|replac|write)\w*\b/i, /\bfile/i, '.'),
    },
  ],
  delete: [{ names: ['delete file', 'remove file', 'file delete', 'rm file', 'unlink file'], takes: files }],
  list: [
    {
      names: [
        'list directory',
        'list dir',
        'list files',
        'list folder',
        'list directory contents',
        'directory list',
        'read directory',
        'read dir',
        'ls',
      ],
      takes: ['path', 'directory', 'dir', 'dirpath', 'folder', 'targetdirectory'],
    },
  ],
  grep: [
    {
      names: ['grep', 'grep search', 'grep files', 'ripgrep', 'regex search'],
      takes: ['pattern', 'regex', 'query'],
    },
    {
      names: [
        'search',
        'search files',
        'search file content',
        'search file contents',
        'search text',
        'search code',
        'search in files',
      ],
      takes: ['pattern', 'regex', 'query'],
      says: /\b(?:regex|regular expression|grep|ripgrep)\b/i,
    },
  ],
  glob: [
    {
      names: ['glob', 'glob files', 'glob search', 'glob file search', 'file glob search'],
      takes: ['pattern', 'globpattern', 'glob'],
    },
    {
      names: ['find files', 'search files', 'file search'],
      takes: ['pattern', 'globpattern', 'glob'],
      says: /\bglob\b/i,
    },
  ],
  fetch: [
    {
      names: [
        'fetch',
        'web fetch',
        'fetch url',
        'fetch web page',
        'fetch webpage',
        'url fetch',
        'read url',
        'get url',
        'fetch url content',
        'http get',
      ],
      takes: ['url'],
    },
  ],
  diagnostics: [
    {
      names: ['diagnostics', 'get diagnostics', 'lsp diagnostics', 'read lints', 'get file diagnostics'],
      takes: [...files, 'uri', 'paths'],
    },
  ],
}

/** Words of tools that do not work on the files of the user's machine. */
const elsewhere =
  /\b(?:e-?mails?|inbox|mailbox|databases?|sql|s3|buckets?|blobs?|(?:google )?drive|dropbox|sharepoint|onedrive|github|gitlab|bitbucket|jira|confluence|slack|discord|notion|wiki|calendar|tickets?|issues?|pull requests?|remote(?:ly)?|ssh|sftp|ftp|cloud|kubernetes|kubectl|docker|container|pod|device|android|adb|iphone|browser|dom|clipboard|memory bank|knowledge base|vector|embedding|semantic|crm|game|robot|redis|mongo\w*|blender|figma|unity|logs? of|powershell|cmd\.exe)\b/i

/** MCP servers whose tools work on local files or in a local shell. */
const localServers = new Set([
  'filesystem',
  'fs',
  'files',
  'file',
  'local',
  'shell',
  'terminal',
  'bash',
  'desktopcommander',
])

export function fitsUnknown(tool: Tool, kind: JobKind): boolean {
  const words = nameWords(tool.name)
  if (words === undefined) return false
  const parameters = parametersOf(tool)
  const described = [
    tool.description ?? '',
    ...parameters.map(({ schema }) => textOf(schema.description ?? '')),
  ]
  if (isElsewhere(tool)) return false
  return (guesses[kind] ?? []).some(({ names, takes, says }) => {
    if (!names.includes(words)) return false
    const anyRequired = parameters.some(({ required }) => required)
    if (!parameters.some(({ normal, required }) => takes.includes(normal) && (required || !anyRequired)))
      return false
    return says === undefined || described.some((text) => says.test(text))
  })
}

/** Only the beginning of the description counts: the rest may mention anything. */
export function isElsewhere(tool: Tool): boolean {
  return (
    elsewhere.test((tool.description ?? '').slice(0, 300)) || elsewhere.test(tool.name.replace(/[_-]/g, ' '))
  )
}

/** `mcp__fs__readTextFile` → `read text file`. Undefined for tools of servers that are not known to be local. */
function nameWords(name: string): string | undefined {
  const [, server, own] = /^mcp_{1,2}(.[^_\n\r\u2028\u2029]*)_{1,2}(.+)$/.exec(name) ?? []
  if (server !== undefined && !localServers.has(server.toLowerCase().replace(/[^a-z]/g, ''))) return undefined
  return (own ?? name)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '' && word !== 'tool')
    .join(' ')
}
