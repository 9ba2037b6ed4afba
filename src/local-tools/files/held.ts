// A file or folder held by an O_PATH descriptor, which stays the same object whatever happens to its name. Names are looked up
// one folder at a time and links are never followed, so nothing can be swapped between check and use. Node has no openat(2):
// /proc/self/fd/N takes its place.

import { closeSync, constants, fstatSync, openSync, readlinkSync, type Stats } from 'node:fs'
import { codeOf } from './refusal.ts'

/** Not in Node's constants; the same on every architecture that Node supports. */
const O_PATH = 0o10000000

const { O_DIRECTORY, O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants

export const throughDescriptor = (descriptor: number, name?: string) =>
  name === undefined ? `/proc/self/fd/${descriptor}` : `/proc/self/fd/${descriptor}/${name}`

export class Held {
  readonly descriptor: number
  readonly stat: Stats
  #open = true

  private constructor(descriptor: number) {
    this.descriptor = descriptor
    try {
      this.stat = fstatSync(descriptor)
    } catch (error) {
      closeSync(descriptor)
      throw error
    }
  }

  static folder(path: string): Held {
    return new Held(openSync(path, O_PATH | O_DIRECTORY | O_NOFOLLOW))
  }

  /** Undefined if the name does not exist. */
  static in(folder: Held, name: string): Held | undefined {
    if (name === '' || name === '.' || name === '..' || name.includes('/')) return undefined
    try {
      return new Held(openSync(throughDescriptor(folder.descriptor, name), O_PATH | O_NOFOLLOW))
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined
      throw error
    }
  }

  /** A descriptor for reading, which the caller closes. Only for regular files: others could block or have side effects. */
  openToRead(): number {
    return openSync(throughDescriptor(this.descriptor), O_RDONLY | O_NONBLOCK | O_NOCTTY)
  }

  /** Its current path, from the kernel. */
  path(): string {
    return readlinkSync(throughDescriptor(this.descriptor))
  }

  close(): void {
    if (!this.#open) return
    this.#open = false
    closeSync(this.descriptor)
  }
}
