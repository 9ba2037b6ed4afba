// Calls of the gateway's own tools ↔ jobs. Both directions are needed: a request of Cursor's agent is a job, becomes a call like
// any other, and is run as a job again.

import type { Job, JobOf } from '../client-tools/job.ts'
import {
  array,
  boolean,
  defined,
  type Fields,
  number,
  oneOf,
  optional,
  positiveInteger,
  string,
} from '../requests/decode.ts'
import { type LocalKind, localKindOf } from './definitions.ts'

export type LocalJob = JobOf<LocalKind>

const readers: { [Kind in LocalKind]: (input: Fields) => JobOf<Kind> } = {
  read: (input) => ({
    kind: 'read',
    path: string(input.path, 'path'),
    ...defined({
      offset: optional(input.offset, 'offset', wholeNumber),
      limit: optional(input.limit, 'limit', positiveInteger),
    }),
  }),
  write: (input) => ({
    kind: 'write',
    path: string(input.path, 'path'),
    content: string(input.content, 'content'),
  }),
  delete: (input) => ({ kind: 'delete', path: string(input.path, 'path') }),
  list: (input) => ({
    kind: 'list',
    path: optional(input.path, 'path', string) ?? '.',
    ...defined({ ignore: optional(input.ignore, 'ignore', strings) }),
  }),
  glob: (input) => ({
    kind: 'glob',
    pattern: string(input.pattern, 'pattern'),
    ...defined({ path: optional(input.path, 'path', string) }),
  }),
  grep: (input) => ({
    kind: 'grep',
    pattern: string(input.pattern, 'pattern'),
    mode: optional(input.mode, 'mode', oneOf(['content', 'files', 'count'])) ?? 'content',
    ...defined({
      path: optional(input.path, 'path', string),
      glob: optional(input.glob, 'glob', string),
      caseInsensitive: optional(input.case_insensitive, 'case_insensitive', boolean),
      before: optional(input.before, 'before', positiveInteger),
      after: optional(input.after, 'after', positiveInteger),
      limit: optional(input.limit, 'limit', positiveInteger),
      multiline: optional(input.multiline, 'multiline', boolean),
      fileType: optional(input.file_type, 'file_type', string),
    }),
  }),
  shell: (input) => ({
    kind: 'shell',
    command: string(input.command, 'command'),
    ...defined({
      workingDirectory: optional(input.cwd, 'cwd', string),
      timeoutMs: optional(input.timeout_ms, 'timeout_ms', positiveInteger),
      description: optional(input.description, 'description', string),
      background: optional(input.background, 'background', boolean),
    }),
  }),
  fetch: (input) => ({ kind: 'fetch', url: string(input.url, 'url') }),
}

const strings = (value: unknown, path: string) =>
  array(value, path).map((entry, at) => string(entry, `${path}[${at}]`))

function wholeNumber(value: unknown, path: string): number {
  return Math.trunc(number(value, path))
}

/** Undefined for any other tool. Throws an error about the arguments that the model can read. */
export function toLocalJob(name: string, input: Fields): LocalJob | undefined {
  const kind = localKindOf(name)
  return kind && readers[kind](input)
}

/** The arguments of the call for this job. */
export function toLocalInput(job: Job): Record<string, unknown> {
  const { kind, ...said } = job
  if (kind === 'shell') {
    const { workingDirectory, timeoutMs, ...rest } = said as Omit<JobOf<'shell'>, 'kind'>
    return defined({ ...rest, cwd: workingDirectory, timeout_ms: timeoutMs })
  }
  if (kind === 'grep') {
    const { caseInsensitive, fileType, ...rest } = said as Omit<JobOf<'grep'>, 'kind'>
    return defined({ ...rest, case_insensitive: caseInsensitive, file_type: fileType })
  }
  return defined(said)
}
