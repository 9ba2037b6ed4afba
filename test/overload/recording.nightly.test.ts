// Turns of twenty times the limit of a tape, with recording and inspector on: the tape is cut at its limit, and masking and writing
// it does not delay other requests.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { atTestEnd } from '../at-end.ts'
import { expectHeld, MiB, overload, report } from './harness.ts'
import { httpFloods } from './http-floods.ts'
import { askFlooded, startFlood } from './http-upstream.ts'

const tapeBytes = 16 * MiB

async function writtenTape(folder: string): Promise<string> {
  for (;;) {
    const name = readdirSync(folder).find((one) => one.endsWith('.jsonl'))
    if (name !== undefined) return readFileSync(join(folder, name), 'utf8')
    await sleep(50)
  }
}

it.each(['text, long pieces', 'text, single characters'])('%s', { timeout: 300_000 }, async (name) => {
  const row = httpFloods.find((one) => one.name === name)
  if (row === undefined) throw new Error(`no such flood: ${name}`)
  const { url: baseUrl, close } = await startFlood(row, 20 * tapeBytes)
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-recording-'))
  atTestEnd(() => rmSync(folder, { recursive: true }))
  const config = {
    backends: { box: { ...row.backend, baseUrl } },
    tapes: { record: 'all', folder },
    inspector: { enabled: true },
  }
  const measured = await overload({ config }, async ({ url }) => {
    await askFlooded(url, row, 'chat', true)
    return (await writtenTape(folder)).length
  })
  await close()
  report(`recorded: ${name}, ${(20 * tapeBytes) / MiB} MiB sent`, measured)
  expectHeld(measured)
  expect(measured.result).toBeLessThan(2 * tapeBytes)
})
