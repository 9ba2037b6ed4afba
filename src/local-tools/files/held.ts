// Something in the file system, held by a descriptor that opens nothing (O_PATH): whatever becomes of its name, this stays
// the thing that was found. A name is looked up in one folder at a time, and never followed if it is a link; so a swap
// between the check and the use has nothing to swap. Node has no openat(2): /proc/self/fd/N stands in for the folder.

import { closeSync, constants, fstatSync, openSync, readlinkSync, type Stats } from 'node:fs'
import { codeOf } from './refusal.ts'

/** Node does not name it; it is the same on every architecture that Node runs on. */
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

  /** Undefined if there is nothing of that name. */
  static in(folder: Held, name: string): Held | undefined {
    if (name === '' || name === '.' || name === '..' || name.includes('/')) return undefined
    try {
      return new Held(openSync(throughDescriptor(folder.descriptor, name), O_PATH | O_NOFOLLOW))
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined
      throw error
    }
  }

  /** A descriptor to read from; the caller closes it. Only for regular files: anything else could block, or act. */
  openToRead(): number {
    return openSync(throughDescriptor(this.descriptor), O_RDONLY | O_NONBLOCK | O_NOCTTY)
  }

  /** Where it is now, by the kernel's own account. */
  path(): string {
    return readlinkSync(throughDescriptor(this.descriptor))
  }

  close(): void {
    if (!this.#open) return
    this.#open = false
    closeSync(this.descriptor)
  }
}
