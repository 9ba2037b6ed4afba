// A job that a model service wants done by the client, and its outcome. Neither depends on any client: vocabulary.ts knows the
// clients' tools, the readers know the formats of their results.

export type Job =
  | {
      kind: 'shell'
      command: string
      workingDirectory?: string
      timeoutMs?: number
      description?: string
      background?: boolean
    }
  /** `offset` is the first line, counted from 1; a negative one is counted from the end. */
  | { kind: 'read'; path: string; offset?: number; limit?: number }
  | { kind: 'write'; path: string; content: string }
  | { kind: 'delete'; path: string }
  | { kind: 'list'; path: string; ignore?: string[] }
  | {
      kind: 'grep'
      pattern: string
      path?: string
      glob?: string
      mode: 'content' | 'files' | 'count'
      caseInsensitive?: boolean
      before?: number
      after?: number
      limit?: number
      multiline?: boolean
      fileType?: string
    }
  | { kind: 'glob'; pattern: string; path?: string }
  | { kind: 'fetch'; url: string }
  | { kind: 'diagnostics'; path: string }

export type JobKind = Job['kind']
export type JobOf<Kind extends JobKind> = Extract<Job, { kind: Kind }>

export interface GrepMatch {
  file: string
  line?: number
  text?: string
  /** A line shown around a match. */
  context?: boolean
  count?: number
}

/** Properties of a file that the client's format does not show: the file may differ from the content in them. */
export type Untold = 'final-newline' | 'line-endings' | 'byte-order-mark' | 'trailing-blanks'

export type Outcome =
  /** `exitCodeAssumed`: the client does not report an exit code. */
  | {
      kind: 'shell'
      stdout: string
      stderr: string
      exitCode: number
      timedOut?: boolean
      truncated: boolean
      exitCodeAssumed?: boolean
    }
  /**
   * `complete`: the content is the whole file, apart from what `untold` names. Content that is capped, cut, or cannot be
   * stripped of decoration with certainty is not complete, and must never be written back.
   */
  | {
      kind: 'read'
      content: string
      complete: boolean
      totalLines?: number
      notFound?: boolean
      untold?: readonly Untold[]
    }
  | { kind: 'write' }
  | { kind: 'delete' }
  /** Paths are relative to the listed directory. */
  | { kind: 'list'; entries: ListEntry[]; truncated: boolean }
  /** Files have the client's names: absolute, or relative to the searched directory. */
  | { kind: 'grep'; matches: GrepMatch[]; truncated: boolean }
  | { kind: 'glob'; files: string[]; truncated: boolean }
  /** `truncated`: the page may be incomplete; the content says so too. */
  | { kind: 'fetch'; content: string; truncated?: boolean }
  | { kind: 'diagnostics'; text: string }
  /** `denied`: the user or a rule refused it. */
  | Failure

export interface ListEntry {
  path: string
  directory: boolean
}

export interface Failure {
  kind: 'failed'
  error: string
  notFound?: boolean
  denied?: boolean
}

export type OutcomeOf<Kind extends JobKind> = Extract<Outcome, { kind: Kind }>

/** The result of the client's tool: its text parts, joined. The caller handles images and files. */
export interface ClientResult {
  text: string
  isError: boolean
}

export interface Redirect {
  /** Exactly as offered. */
  tool: string
  input: Record<string, unknown>
  read(result: ClientResult): Outcome
}
