// Turns against the simulators, as the tapes that were made of them.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tapeFiles } from '../../src/tapes/folder.ts'
import { type ReadTape, readTapeFile } from '../../src/tapes/read.ts'
import { type Bench, type BenchOptions, startBench } from '../harness.ts'

/** In the order in which they began. */
export async function recorded(
  turns: (bench: Bench) => Promise<void>,
  { settings, gateway, ...options }: BenchOptions = {},
): Promise<ReadTape[]> {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-tapes-'))
  try {
    const bench = await startBench({
      ...options,
      settings: { ...settings, tapes: { record: 'all' } },
      gateway: { ...gateway, tapeFolder: folder },
    })
    try {
      await turns(bench)
    } finally {
      await bench.close()
    }
    return tapeFiles(folder).flatMap((file) => readTapeFile(file).tapes)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Asks, reads to the end, and gives what came. */
export async function asked(
  { url }: Pick<Bench, 'url'>,
  path: string,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<string> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return response.text()
}
