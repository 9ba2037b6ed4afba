// A job that a model service wants done on the client's side, and what came of it. Both are free of any client's
// vocabulary: vocabulary.ts knows the clients' tools, the readers know how their results look.

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

/** What a client's way of showing a file does not tell: the file may have it otherwise than the content has it. */
export type Untold = 'final-newline' | 'line-endings' | 'byte-order-mark' | 'trailing-blanks'

export type Outcome =
  /** `exitCodeAssumed`: the client does not say how the command ended. */
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
   * `complete`: the content is the whole file, apart from what `untold` names. Anything that is capped, cut, or could
   * not be undecorated with certainty is not complete, and must never be written back.
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
  /** Files are named as the client names them: absolute, or relative to where it searched. */
  | { kind: 'grep'; matches: GrepMatch[]; truncated: boolean }
  | { kind: 'glob'; files: string[]; truncated: boolean }
  /** `truncated`: the page is not known to be whole; the content says so, too. */
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

/** The result of the client's tool: its text parts, joined. Images and files are the caller's. */
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
