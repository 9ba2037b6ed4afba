// The only folder that local tools may touch. A descriptor holds it while it is open, and every path is walked from there
// (walk-path.ts), so later changes of its name have no effect.

import { realpath } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { GatewayError } from '../../core/errors.ts'
import { GitGuard } from '../git/git-guard.ts'
import { Held } from './held.ts'
import { HiddenPaths } from './hidden-paths.ts'
import { isOfKernel } from './kernel-file-systems.ts'
import { codeOf, Refusal } from './refusal.ts'

interface ConfinedRootOptions {
  /** Absolute paths of files and folders inside that are invisible to the tools. */
  hidden?: readonly string[]
}

/** The limit for an absolute path that is resolved name by name. */
const maxForeignNames = 256

export class ConfinedRoot {
  /** The real path when it was opened. */
  readonly path: string
  readonly held: Held
  readonly git: GitGuard
  /** The configured path: models may know this one, and it may contain links. */
  readonly #given: string
  readonly #hidden: HiddenPaths
  #running = 0
  #closed = false
  #allDone: (() => void) | undefined

  private constructor(given: string, held: Held, path: string, hidden: HiddenPaths) {
    this.#given = given
    this.held = held
    this.path = path
    this.git = new GitGuard(path)
    this.#hidden = hidden
  }

  /** Throws a `GatewayError` about a problem with the folder. */
  static async open(given: string, { hidden = [] }: ConfinedRootOptions = {}): Promise<ConfinedRoot> {
    if (process.platform !== 'linux')
      throw unfit('Local tools work on Linux only: elsewhere files cannot be opened safely enough.')
    if (given === '' || given.includes('\0')) throw unfit('The folder for local tools has no usable name.')
    const path = await realpath(resolve(given)).catch((error: unknown) => {
      throw unfit(`The folder for local tools cannot be used (${codeOf(error)}): ${given}`)
    })
    if (path === '/') throw unfit('The folder for local tools must not be "/". Name the folder to work in.')
    const hiddenPaths = new HiddenPaths(hidden)
    for (let above = path; ; above = dirname(above)) {
      if (hiddenPaths.has(above))
        throw unfit(
          `The folder for local tools lies among the gateway's own files: ${path}. Set "exec.root" to the folder of a project.`,
        )
      if (above === '/') break
    }
    const held = holdFolder(path)
    try {
      if (isOfKernel(held)) throw unfit(`The folder for local tools is on a kernel file system: ${path}`)
      if (held.path() !== path)
        throw unfit(`The folder for local tools cannot be held, is /proc mounted? ${path}`)
    } catch (error) {
      held.close()
      throw error instanceof GatewayError
        ? error
        : unfit(`The folder for local tools cannot be held, is /proc mounted? ${path}`)
    }
    return new ConfinedRoot(resolve(given), held, path, hiddenPaths)
  }

  /** Waits for running jobs: the number of a closed descriptor is soon reused for another file. */
  async close(): Promise<void> {
    this.#closed = true
    if (this.#running > 0)
      await new Promise<void>((done) => {
        const before = this.#allDone
        this.#allDone = () => {
          before?.()
          done()
        }
      })
    this.held.close()
  }

  async use<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#closed) throw new Refusal('The local tools are shut down.')
    this.#running++
    try {
      if (this.held.path() !== this.path)
        throw new Refusal('The workspace was moved or deleted. Nothing can be done until it is opened again.')
      this.#hidden.refresh()
      return await work()
    } finally {
      this.#running--
      if (this.#running === 0) this.#allDone?.()
    }
  }

  /** The same refusal whether or not the path exists outside. */
  outside(): Refusal {
    return new Refusal(`Only paths inside the workspace can be used. The workspace is ${this.path}`, 'denied')
  }

  isHidden(names: readonly string[], held?: Held): boolean {
    return this.#hidden.has(names.length === 0 ? this.path : `${this.path}/${names.join('/')}`, held?.stat)
  }

  /** The current names from the root to it. */
  whereIs(held: Held): string[] {
    const inside = this.#below(held.path(), this.path)
    if (inside === undefined) throw this.outside()
    return inside === '' ? [] : inside.split('/')
  }

  /**
   * An absolute path as a path from the root; undefined if it leads elsewhere. The result is only a name, which is then walked
   * from the root's descriptor, so a change in the meantime does no harm.
   */
  async fromAbsolute(path: string): Promise<string | undefined> {
    const inside = this.#below(path, this.path) ?? this.#below(path, this.#given)
    if (inside !== undefined) return inside
    const names = path.split('/')
    if (names.length > maxForeignNames) return undefined
    for (let count = 2; count <= names.length; count++) {
      const real = await realpath(names.slice(0, count).join('/') || '/').catch(() => undefined)
      if (real === undefined) return undefined
      const reached = this.#below(real, this.path)
      if (reached !== undefined) return [reached || '.', ...names.slice(count)].join('/')
    }
    return undefined
  }

  #below(path: string, folder: string): string | undefined {
    if (path === folder) return ''
    return folder !== '/' && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined
  }
}

function holdFolder(path: string): Held {
  try {
    return Held.folder(path)
  } catch (error) {
    throw unfit(
      codeOf(error) === 'ENOTDIR'
        ? `The folder for local tools is not a folder: ${path}`
        : `The folder for local tools cannot be opened (${codeOf(error)}): ${path}`,
    )
  }
}

const unfit = (message: string) => new GatewayError('invalid-request', message)
