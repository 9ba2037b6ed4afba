// A row of the vocabulary: a tool of a client, the job that it does, and how its results look.

import type { FileFormat } from './file-formats.ts'
import type { ClientResult, JobKind } from './job.ts'
import type { ShellFormat } from './read-shell.ts'

interface Naming {
  /** The owner. `any`: a common name, so the description must not point elsewhere (`isElsewhere`). */
  client: string
  names: readonly string[]
  /** Parameters that it has. */
  needs?: readonly string[]
  /** Parameters that a tool of the same name in another client has, and it has not. */
  lacks?: readonly string[]
  /** Its description must match. */
  says?: RegExp
  /** A `cd` in its shell changes the directory of later tools: each call gets the directory. */
  wanders?: boolean
  /** Values for parameters that no job has, sent with every call. */
  sends?: Readonly<Record<string, unknown>>
  /** Removes what the client puts around every result of this tool. */
  unwrap?: (result: ClientResult) => ClientResult
}

export type ReadRow = Naming & {
  kind: 'read'
  format: FileFormat
  /** Sent for a whole file: without a range, some tools show only a remark or the first lines. */
  wholeRange?: { offset: number; limit: number }
  /** Files that it renders (notebooks, PDF), for which it takes no range. */
  renders?: RegExp
}
export type ShellRow = Naming & {
  kind: 'shell'
  format: ShellFormat
  /** Sent if the job has no timeout. Codex moves a longer command to the background. */
  defaultTimeoutMs?: number
}
export type GrepRow = Naming & {
  kind: 'grep'
  /** Rust regular expressions: the pattern can contain `(?i)`. */
  inlineFlags?: boolean
  /** Cannot search one file alone. */
  directoriesOnly?: boolean
  /** Always ignores case. The gateway filters the matches of a case-sensitive search. */
  anyCase?: boolean
  /** Shows how many matches a file has, and not the lines: no tool for a search that wants those. */
  countsOnly?: boolean
}
type PlainRow = Naming & { kind: Exclude<JobKind, 'read' | 'shell' | 'grep'> }
export type Row = ReadRow | ShellRow | GrepRow | PlainRow
