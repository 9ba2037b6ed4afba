// The names of parameters in clients' tools. Names are normalised to lower-case letters and digits: `filePath` and `file_path`
// are `filepath`, `-i` is `i`. The first name that the tool's schema has is used.

import type { JobKind } from './job.ts'

const file = [
  'filepath',
  'absolutepath',
  'targetfile',
  'path',
  'file',
  'filename',
  'relativeworkspacepath',
  'relativepath',
  'fullpath',
  'targetpath',
]
const directory = [
  'path',
  'dirpath',
  'directory',
  'targetdirectory',
  'relativeworkspacepath',
  'dir',
  'folder',
]
const searched = [...directory, 'filepath', 'paths']

/** For each kind of job: its parts, and the parameters that can take them. */
export const parameterNames: Record<JobKind, Readonly<Record<string, readonly string[]>>> = {
  shell: {
    command: ['command', 'cmd', 'commandline', 'shellcommand', 'bashcommand', 'script', 'commands'],
    workingDirectory: [
      'workdir',
      'cwd',
      'workingdirectory',
      'workingdir',
      'directory',
      'dir',
      'dirpath',
      'cd',
    ],
    timeout: [
      'timeout',
      'timeoutms',
      'timeoutmilliseconds',
      'timeoutseconds',
      'timeoutsec',
      'timeoutsecs',
      'yieldtimems',
      'initialwait',
    ],
    description: ['description', 'explanation', 'summary', 'reason', 'purpose', 'title'],
    background: ['isbackground', 'runinbackground', 'background'],
  },
  read: {
    path: [...file, 'paths', 'files', 'filepaths'],
    offset: ['offset', 'startline', 'linestart', 'startlineoneindexed', 'from', 'fromline', 'lineoffset'],
    limit: ['limit', 'maxlines', 'numlines', 'lines', 'linecount', 'nlines'],
    lastLine: ['endline', 'lineend', 'endlineoneindexedinclusive', 'toline'],
    range: ['viewrange'],
    entire: ['shouldreadentirefile', 'entirefile'],
  },
  write: {
    path: file,
    content: ['content', 'contents', 'text', 'filetext', 'filecontent', 'data', 'codeedit'],
  },
  delete: { path: [...file, 'paths'] },
  list: { path: [...directory, 'filepath'], ignore: ['ignore', 'ignorepatterns', 'exclude'] },
  grep: {
    pattern: ['pattern', 'regex', 'query', 'search', 'searchpattern', 'regexp'],
    path: searched,
    glob: ['glob', 'include', 'filepattern', 'includepattern', 'globpattern', 'fileglob'],
    mode: ['outputmode', 'mode'],
    caseInsensitive: ['i', 'caseinsensitive', 'ignorecase'],
    caseSensitive: ['casesensitive'],
    before: ['b', 'contextbefore', 'before'],
    after: ['a', 'contextafter', 'after'],
    multiline: ['multiline'],
    fileType: ['type', 'filetype'],
    limit: ['headlimit', 'limit', 'maxresults', 'maxmatches'],
  },
  glob: { pattern: ['pattern', 'globpattern', 'glob', 'query'], path: searched },
  fetch: { url: ['url', 'uri', 'link', 'urls'] },
  diagnostics: { path: [...file, 'paths', 'filepaths', 'uri', 'uris'] },
}

/** Values for parameters that some clients require and no job has. */
export const fillers: Readonly<Record<string, unknown>> = {
  description: 'Asked for by the model',
  explanation: 'Asked for by the model',
  summary: 'Asked for by the model',
  reason: 'Asked for by the model',
  purpose: 'Asked for by the model',
  title: 'Asked for by the model',
  taskprogress: '',
  requiresapproval: true,
  isbackground: false,
  runinbackground: false,
  background: false,
  interactive: false,
  recursive: false,
  shouldreadentirefile: true,
  startlineoneindexed: 1,
  endlineoneindexedinclusive: 1_000_000,
  format: 'markdown',
  prompt: 'Return the whole content of the page as it is, without a summary.',
}

export const normalName = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')
