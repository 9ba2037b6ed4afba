// What a client's set-up is made from and what comes of it. A client is a pure function from facts to a plan; reading,
// asking and writing are the command's.

export interface GatewayKey {
  /** What the client has to send. Any text where none is asked for. */
  text: string
  /** Where it is kept: clients that can read a file need no copy. */
  file: string | undefined
  needed: boolean
}

export interface SetupModel {
  id: string
  contextTokens?: number | undefined
  outputTokens?: number | undefined
}

export interface Facts {
  /** The gateway's address, without `/v1`. */
  url: string
  key: GatewayKey
  /** The one that the client shall use. */
  model: SetupModel
  /** All that can be called, the chosen one among them. */
  models: readonly SetupModel[]
  home: string
  /** XDG_CONFIG_HOME. */
  configHome: string
  projectFolder: string
  /** Whether the project's file is meant, not the user's. */
  project: boolean
  /** OpenCode: by the plugin, without a server; where the plugin is. */
  plugin: string | undefined
  shell: 'sh' | 'fish'
  variable(name: string): string | undefined
  exists(path: string): boolean
  /** The text of a file, or nothing where there is none. */
  read(path: string): string | undefined
}

export interface FileChange {
  path: string
  before: string | undefined
  after: string
}

export interface Plan {
  files: FileChange[]
  /** What is left to do by hand, in order. */
  steps: string[]
  /** How the client is started then. */
  start?: string
  /** For a program to read: goes to standard output as it is. */
  output?: string
}

/** Why a text cannot be edited, in a half-sentence about it. */
export class CannotEdit extends Error {
  override readonly name = 'CannotEdit'
}

/** A file that cannot be changed without guessing. */
export class NotUnderstood extends Error {
  override readonly name = 'NotUnderstood'
  readonly path: string

  constructor(path: string, reason: string) {
    super(reason)
    this.path = path
  }
}

/** One file, changed by an edit that may refuse. */
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
    // What a regular expression or a recursion says that cannot go on.
    if (error instanceof RangeError)
      throw new NotUnderstood(path, 'it is too long or too deep to be read here')
    throw error
  }
}

/** A step that is true for every client that keeps the key in a variable. */
export const exportKey = ({ key, home }: Pick<Facts, 'key' | 'home'>, variable = 'DRAGOMAN_KEY') =>
  `export ${variable}=${key.file === undefined ? 'KEY' : `$(cat ${shellPath(key.file, home)})`}`

/** A window that was written for another model, or by hand: nobody but the user knows whether it is right for this one. */
export const staleWindow = (name: string, value: string, model: string) =>
  `${name} is ${value}, as it was before: how much "${model}" reads is not known. Correct it, or take it out.`

/** A path for a shell, `~` left outside of quotes. */
export function shellPath(path: string, home: string, shell: Facts['shell'] = 'sh'): string {
  const short = tilde(path, home)
  return short === path ? shellWord(path, shell) : `~/${shellWord(short.slice(2), shell)}`
}

/** `~/…` for what is below the home folder, as people write it. */
export const tilde = (path: string, home: string) =>
  path.startsWith(`${home}/`) ? `~/${path.slice(home.length + 1)}` : path

/** One word for a shell, whatever is in it. In fish a backslash counts inside of quotes too. */
export function shellWord(text: string, shell: Facts['shell'] = 'sh'): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text
  return shell === 'fish' ? `'${text.replace(/['\\]/g, '\\$&')}'` : `'${text.replaceAll("'", `'\\''`)}'`
}
