// The input and output of a client's setup. A client is a pure function from facts to a plan; the command reads, asks and
// writes.

import { commandWords } from '../base/platform/expand.ts'
import { commands } from '../base/platform/rows.ts'
import type { System } from '../base/platform/system.ts'
import type { ReasoningEffort } from '../core/request.ts'
import type { Shell } from './client-names.ts'

export interface GatewayKey {
  /** The key that the client sends; any text if the gateway needs none. */
  text: string
  /** The file that holds the key: clients that can read a file need no copy. */
  file: string | undefined
  needed: boolean
}

export interface SetupModel {
  id: string
  displayName?: string | undefined
  /** Whose model it is, if the gateway says. */
  ownedBy?: string | undefined
  contextTokens?: number | undefined
  outputTokens?: number | undefined
  /** Absent: not known. */
  images?: boolean | undefined
  efforts?: readonly ReasoningEffort[] | undefined
}

export interface Facts {
  /** The gateway's address, without `/v1`. */
  url: string
  key: GatewayKey
  /** The model for the client to use. With the plugin its id is empty if the user names none. */
  model: SetupModel
  /** All available models, including the chosen one. */
  models: readonly SetupModel[]
  home: string
  /** XDG_CONFIG_HOME. */
  configHome: string
  projectFolder: string
  /** Edit the project's file, not the user's. */
  project: boolean
  /** OpenCode with the plugin, without a server: the plugin's location. */
  plugin: string | undefined
  shell: Shell
  /** The machine that the client runs on. */
  system: System
  variable(name: string): string | undefined
  exists(path: string): boolean
  /** The text of a file; undefined if there is none. */
  read(path: string): string | undefined
}

export interface FileChange {
  path: string
  before: string | undefined
  after: string
  /** Shown instead of the change: the file is for a program, and long. */
  summary?: string
}

export interface Plan {
  files: FileChange[]
  /** Remaining steps for the user, in order. */
  steps: string[]
  /** The command that starts the client. */
  start?: string
  /** Text for a program to read; goes to standard output unchanged. */
  output?: string
}

/** Why a text cannot be edited, as a clause for a message. */
export class CannotEdit extends Error {
  override readonly name = 'CannotEdit'
}

/** A file that cannot be edited safely. */
export class NotUnderstood extends Error {
  override readonly name = 'NotUnderstood'
  readonly path: string

  constructor(path: string, reason: string) {
    super(reason)
    this.path = path
  }
}

/** Edits one file; the edit may refuse. */
export function editFile(
  facts: Pick<Facts, 'read'>,
  path: string,
  edit: (text: string) => string,
): FileChange {
  try {
    const before = facts.read(path)
    return { path, before, after: edit(before ?? '') }
  } catch (error) {
    if (error instanceof CannotEdit) throw new NotUnderstood(path, error.message)
    // A stack overflow, in a regular expression or in recursion.
    if (error instanceof RangeError)
      throw new NotUnderstood(path, 'it is too long or too deep to be read here')
    throw error
  }
}

/** The step for every client that takes the key from a variable. */
export function exportKey(
  { key, home, shell }: Pick<Facts, 'key' | 'home' | 'shell'>,
  variable = 'DRAGOMAN_KEY',
): string {
  if (shell === 'powershell')
    return `$env:${variable} = ${key.file === undefined ? "'KEY'" : `Get-Content ${shellWord(key.file, shell)}`}`
  return `export ${variable}=${key.file === undefined ? 'KEY' : `$(cat ${shellPath(key.file, home)})`}`
}

/** The command that prints a file's text, for clients that start a program. */
export function printFile(path: string, system: System): { program: string; args: string[] } {
  const values = { FILE: path, SCRIPT: readScript(path) }
  const [program = '', ...args] = commandWords(commands.printKey[system], values)
  return { program, args }
}

/**
 * The same as a line, for clients that start a shell. Which shell that is on Windows differs from client to client: the line means
 * the same to cmd, PowerShell and Git Bash.
 */
export const printFileLine = (path: string, { home, system }: Pick<Facts, 'home' | 'system'>) =>
  system === 'windows' ? `node -p "${readScript(path)}"` : `cat ${shellPath(path, home)}`

/** Characters that a shell could take for its own are escaped as JavaScript escapes them. */
const readScript = (path: string) =>
  `require('fs').readFileSync('${slashed(path).replace(/[^\w/:. ()@+,-]/g, inScript)}','utf8').trim()`

const inScript = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Windows takes both kinds of slashes; shells and configuration files only these. */
export const slashed = (path: string) => path.replaceAll('\\', '/')

/** A context window set for another model or by hand: only the user knows whether it fits this one. */
export const staleWindow = (name: string, value: string, model: string) =>
  `${name} is ${value}, as it was before: how much "${model}" reads is not known. Correct it, or take it out.`

/** A quoted path for a shell, with `~` outside the quotes. */
export function shellPath(path: string, home: string, shell: Shell = 'sh'): string {
  if (shell === 'powershell') return shellWord(path, shell)
  if (isOfWindows(home)) return shellWord(slashed(path), shell)
  const short = tilde(path, home)
  return short === path ? shellWord(path, shell) : `~/${shellWord(short.slice(2), shell)}`
}

/** Writes paths below the home folder as `~/…`, on Windows as `~\…`. */
export const tilde = (path: string, home: string) =>
  path.startsWith(`${home}${isOfWindows(home) ? '\\' : '/'}`) ? `~${path.slice(home.length)}` : path

/** A home folder such as C:\Users\me. */
const isOfWindows = (home: string) => home.includes('\\')

/** Quotes a text as one shell word. In fish, a backslash is special inside quotes too. */
export function shellWord(text: string, shell: Shell = 'sh'): string {
  if (shell === 'powershell') return `'${text.replaceAll("'", "''")}'`
  if (/^[\w@%+=:,./-]+$/.test(text)) return text
  return shell === 'fish' ? `'${text.replace(/['\\]/g, '\\$&')}'` : `'${text.replaceAll("'", `'\\''`)}'`
}
