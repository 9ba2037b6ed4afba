// Walks a path from the root, one name at a time, each in the descriptor of the folder before it. Links are resolved here,
// never by the kernel, and `..` returns to a folder that the walk passed, so no step can lead outside.

import { mkdirSync, readlinkSync } from 'node:fs'
import type { ConfinedRoot } from './confined-root.ts'
import { checkNoRepository, checkWritable } from './git-own.ts'
import { Held, throughDescriptor } from './held.ts'
import { isOfKernel } from './kernel-file-systems.ts'
import { codeOf, isFolder, notFolder, notFound, Refusal, shown } from './refusal.ts'

export interface Place {
  /** Its folder; for the root, the root itself. */
  parent: Held
  /** The names from the root to it, without links. */
  names: readonly string[]
  /** Undefined: the name does not exist, but could be created. */
  held: Held | undefined
}

interface WalkOptions {
  /** `keep`: a link at the end of the path is meant itself; `follow`: its target. */
  lastLink: 'follow' | 'keep'
  /** Creates missing folders for a file that will be written. */
  toWrite?: boolean
}

const maxPathBytes = 4096
const maxNameBytes = 255
const maxLinks = 40
/** Each folder on the way takes a descriptor. */
export const maxDepth = 100

/** Descriptors are open only while `work` runs. */
export async function withPlace<Result>(
  root: ConfinedRoot,
  path: string,
  options: WalkOptions,
  work: (place: Place) => Promise<Result>,
): Promise<Result> {
  return root.use(async () => {
    const walk = new PathWalk(root, path, options)
    if (options.toWrite) await root.git.refresh()
    try {
      const place = await walk.run()
      root.whereIs(place.held ?? place.parent)
      return await work(place)
    } finally {
      walk.close()
    }
  })
}

class PathWalk {
  readonly #root: ConfinedRoot
  readonly #asked: string
  readonly #options: WalkOptions
  /** The folders below the root, one for each of `names`. */
  readonly #folders: Held[] = []
  readonly #names: string[] = []
  /** The remaining names, the next one last. */
  readonly #pending: string[] = []
  #last: Held | undefined
  #links = 0
  #foldersMade = 0
  #folderWanted = false

  constructor(root: ConfinedRoot, asked: string, options: WalkOptions) {
    this.#root = root
    this.#asked = asked
    this.#options = options
  }

  get #here(): Held {
    return this.#folders.at(-1) ?? this.#root.held
  }

  async run(): Promise<Place> {
    checkPath(this.#asked)
    await this.#take(this.#asked)
    for (;;) {
      const name = this.#pending.pop()
      if (name === undefined) return this.#folderReached()
      if (name === '..') this.#up()
      else {
        const place = await this.#step(name)
        if (place !== undefined) return place
      }
    }
  }

  close(): void {
    this.#last?.close()
    this.#toRoot()
  }

  /** Takes the requested path or the target of a link. */
  async #take(path: string): Promise<void> {
    const inside = path.startsWith('/') ? await this.#root.fromAbsolute(path) : path
    if (inside === undefined) throw this.#root.outside()
    if (path.startsWith('/')) this.#toRoot()
    const names = inside.split('/')
    if (this.#pending.length === 0 && ['', '.', '..'].includes(names.at(-1) ?? '')) this.#folderWanted = true
    this.#pending.push(...names.filter((name) => name !== '' && name !== '.').reverse())
  }

  /** The end of the path; undefined if the walk goes on. */
  async #step(name: string): Promise<Place | undefined> {
    if (Buffer.byteLength(name) > maxNameBytes)
      throw new Refusal(`${shown(this.#asked)} has a name that is longer than ${maxNameBytes} bytes.`)
    const names = [...this.#names, name]
    const held = Held.in(this.#here, name)
    this.#last = held
    if (this.#isShut(names, held)) return this.#missing(names, 'reserved')
    if (held === undefined) return this.#missing(names)
    if (held.stat.isSymbolicLink()) return this.#link(names, held)
    if (!held.stat.isDirectory()) {
      if (this.#pending.length > 0 || this.#folderWanted) throw notFolder(this.#asked)
      return { parent: this.#here, names, held }
    }
    if (this.#folders.length >= maxDepth)
      throw new Refusal(`${shown(this.#asked)} lies more than ${maxDepth} folders deep.`)
    this.#folders.push(held)
    this.#names.push(name)
    this.#last = undefined
    return undefined
  }

  #isShut(names: readonly string[], held: Held | undefined): boolean {
    return this.#root.isHidden(names, held) || (held !== undefined && isForeignMount(this.#here, held))
  }

  async #link(names: readonly string[], held: Held): Promise<Place | undefined> {
    if (this.#pending.length === 0 && this.#options.lastLink === 'keep' && !this.#folderWanted)
      return { parent: this.#here, names, held }
    held.close()
    if (++this.#links > maxLinks)
      throw new Refusal(`${shown(this.#asked)} leads through too many links, or in a circle.`)
    const name = names.at(-1) as string
    const target = this.#readLink(name)
    if (target === undefined) this.#pending.push(name)
    else await this.#take(target)
    return undefined
  }

  /** Undefined if it is no longer a link. */
  #readLink(name: string): string | undefined {
    try {
      const target = readlinkSync(throughDescriptor(this.#here.descriptor, name))
      checkPath(target)
      return target
    } catch (error) {
      if (codeOf(error) === 'EINVAL') return undefined
      throw error
    }
  }

  #missing(names: readonly string[], why?: 'reserved'): Place | undefined {
    const { toWrite = false } = this.#options
    if (toWrite && why === 'reserved')
      throw new Refusal(`${shown(this.#asked)} is reserved. Choose another place.`, 'denied')
    if (why === 'reserved') throw notFound(this.#asked)
    if (this.#pending.length === 0 && !this.#folderWanted)
      return { parent: this.#here, names, held: undefined }
    if (!toWrite || this.#pending.includes('..')) throw notFound(this.#asked)
    if (this.#folderWanted) throw isFolder(this.#asked, 'Name a file in it.')
    this.#makeFolder(names)
    return undefined
  }

  #makeFolder(names: readonly string[]): void {
    const name = names.at(-1) as string
    checkWritable(this.#root, [...names, ...this.#pending.toReversed()], this.#asked)
    checkNoRepository(this.#here, name, this.#asked)
    if (++this.#foldersMade > maxDepth) throw notFound(this.#asked)
    this.#root.whereIs(this.#here)
    try {
      mkdirSync(throughDescriptor(this.#here.descriptor, name))
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
    this.#pending.push(name)
  }

  #up(): void {
    const left = this.#folders.pop()
    if (left === undefined) throw this.#root.outside()
    left.close()
    this.#names.pop()
  }

  #toRoot(): void {
    for (const folder of this.#folders.splice(0)) folder.close()
    this.#names.length = 0
  }

  #folderReached(): Place {
    return {
      parent: this.#folders.at(-2) ?? this.#root.held,
      names: this.#names,
      held: this.#here,
    }
  }
}

function checkPath(path: string): void {
  if (path.includes('\0'))
    throw new Refusal('A path cannot hold a NUL character. Name the file without it.', 'denied')
  if (/\p{Surrogate}/u.test(path))
    throw new Refusal(`${shown(path)} holds half a character. Name the file without it.`)
  if (Buffer.byteLength(path) > maxPathBytes)
    throw new Refusal(`A path cannot be longer than ${maxPathBytes} bytes.`)
}

/** Checked only where another file system begins. */
export const isForeignMount = (folder: Held, held: Held) =>
  held.stat.dev !== folder.stat.dev && !held.stat.isSymbolicLink() && isOfKernel(held)
