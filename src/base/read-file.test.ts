import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { FileProblem, readRegularFile } from './read-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'dragoman-files-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const at = (name: string) => join(folder, name)

function problemOf(path: string, options: Parameters<typeof readRegularFile>[1]): string {
  try {
    readRegularFile(path, options)
    return 'none'
  } catch (error) {
    expect(error).toBeInstanceOf(FileProblem)
    return (error as FileProblem).message
  }
}

const fifo = (name: string) => {
  execFileSync('mkfifo', [at(name)])
  return at(name)
}

describe('readRegularFile', () => {
  it('reads a file up to the limit', () => {
    writeFileSync(at('whole'), 'x'.repeat(200_000))
    expect(readRegularFile(at('whole'), { maxBytes: 200_000 }).toString()).toBe('x'.repeat(200_000))
    expect(problemOf(at('whole'), { maxBytes: 199_999 })).toBe('is larger than 196 KiB')
  })

  it('reads files that report no size, up to the limit', () => {
    expect(readRegularFile('/proc/self/status', { maxBytes: 100_000 }).toString()).toContain('Pid')
    expect(problemOf('/proc/self/status', { maxBytes: 10 })).toContain('larger')
  })

  it('names what is not a file, and never blocks', () => {
    mkdirSync(at('folder'))
    const options = { maxBytes: 1_000 }
    expect(problemOf(at('none'), options)).toBe('there is no such file')
    expect(problemOf(at('folder'), options)).toBe('is a folder')
    expect(problemOf('/dev/zero', options)).toBe('is a device, not a file')
    expect(problemOf(fifo('fifo'), options)).toBe('is a pipe (FIFO), not a file')
  })

  it('reads a pipe if that is allowed, and gives up if it does not end', async () => {
    const path = fifo('written')
    const writer = spawn('sh', ['-c', `(echo one; sleep 0.1; echo two) > ${path}`])
    expect(readRegularFile(path, { maxBytes: 1_000, pipeMs: 5_000 }).toString()).toBe('one\ntwo\n')
    await new Promise((resolve) => writer.once('close', resolve))
    expect(problemOf(path, { maxBytes: 1_000, pipeMs: 50 })).toBe('is a pipe that did not end within 0.05 s')
  })
})
