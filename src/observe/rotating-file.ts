// An append-only file of lines, rotated by size. Only one process may write it: two would rename it under each other.

import { constants } from 'node:fs'
import { mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { replaceFile } from '../base/platform/replace-file.ts'

const { O_APPEND, O_CREAT, O_NONBLOCK, O_WRONLY } = constants

const maxBytes = 64 * 1024 * 1024
const keptFiles = 5

/** A file of lines, written by this process or by another on its behalf. */
export interface LineFile {
  /** Resolves after the write, in call order; rejects if the write fails. */
  append(text: string): Promise<void>
}

export type OpenFile = (path: string) => LineFile

export class RotatingFile implements LineFile {
  readonly path: string
  #writing: Promise<void> = Promise.resolve()
  /** Bytes in the file; undefined until it is opened. */
  #size: number | undefined

  constructor(path: string) {
    this.path = path
  }

  append(text: string): Promise<void> {
    const written = this.#writing.then(() => this.#append(text))
    this.#writing = written.catch(() => {
      this.#size = undefined
    })
    return written
  }

  async #append(text: string): Promise<void> {
    this.#size ??= await this.#open()
    if (this.#size + text.length > maxBytes) {
      await this.#rotate()
      this.#size = 0
    }
    this.#size += await this.#write(text, this.#size)
  }

  /** Writes whole lines or nothing: a partial write on a full disk is truncated. */
  async #write(text: string, size: number): Promise<number> {
    // Opening a FIFO would block until it has a reader.
    const file = await open(this.path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o600)
    try {
      if (!(await file.stat()).isFile()) throw new Error(`${this.path} is not a regular file`)
      await file.appendFile(text)
      return Buffer.byteLength(text)
    } catch (error) {
      await file.truncate(size).catch(() => undefined)
      throw error
    } finally {
      await file.close()
    }
  }

  async #open(): Promise<number> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 })
    return stat(this.path).then(
      (found) => found.size,
      () => 0,
    )
  }

  async #rotate(): Promise<void> {
    for (let at = keptFiles - 1; at >= 1; at--) {
      const from = at === 1 ? this.path : `${this.path}.${at - 1}`
      await replaceFile(from, `${this.path}.${at}`).catch(() => undefined)
    }
  }
}

/** The file and its older versions. */
export const rotatedNames = (path: string): string[] => [
  path,
  ...Array.from({ length: keptFiles - 1 }, (_, index) => `${path}.${index + 1}`),
]

export const openRotatingFile: OpenFile = (path) => new RotatingFile(path)
