import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openRotatingFile } from './rotating-file.ts'
import { UsageLog, type UsageRecord } from './usage-log.ts'

const record: UsageRecord = {
  time: 't',
  turn: 'turn_1',
  key: 'k',
  model: 'b/m',
  backend: 'b',
  outcome: 'stop',
  inputTokens: 1,
  outputTokens: 2,
  milliseconds: 3,
}

describe('UsageLog', () => {
  let folder: string

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dragoman-usage-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('writes a line per turn, in order, to a file that only its owner can read', async () => {
    const file = join(folder, 'deep', 'usage.jsonl')
    const log = new UsageLog(openRotatingFile(file), (error) => expect.unreachable(String(error)))
    for (let turn = 0; turn < 100; turn++) log.add({ ...record, turn: `turn_${turn}` })
    await log.flush()
    log.add({ ...record, turn: 'last' })
    await log.flush()
    const lines = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).turn)
    expect(lines).toEqual([...Array.from({ length: 100 }, (_, turn) => `turn_${turn}`), 'last'])
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('starts a new file when this one is full, and keeps five', async () => {
    const file = join(folder, 'usage.jsonl')
    for (let round = 0; round < 7; round++) {
      writeFileSync(file, '')
      truncateSync(file, 64 * 1024 * 1024)
      const log = new UsageLog(openRotatingFile(file), (error) => expect.unreachable(String(error)))
      log.add({ ...record, turn: `round_${round}` })
      await log.flush()
      expect(readFileSync(file, 'utf8')).toContain(`round_${round}`)
    }
    expect(readdirSync(folder).sort()).toEqual([
      'usage.jsonl',
      'usage.jsonl.1',
      'usage.jsonl.2',
      'usage.jsonl.3',
      'usage.jsonl.4',
    ])
  })

  it('reports a disk error once, and continues', async () => {
    writeFileSync(join(folder, 'file'), '')
    const errors: unknown[] = []
    const log = new UsageLog(openRotatingFile(join(folder, 'file', 'usage.jsonl')), (error) =>
      errors.push(error),
    )
    for (let turn = 0; turn < 3; turn++) {
      log.add(record)
      await log.flush()
    }
    expect(errors).toHaveLength(1)
  })
})
