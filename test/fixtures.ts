// Recorded or made upstream streams, in the script format of the simulators (docs/simulators.md): raw steps only.

import { readdirSync, readFileSync } from 'node:fs'

export interface Fixture {
  name: string
  scenario: string
  /** The stream as bytes, with the given line ends. */
  bytes(newline?: string): Uint8Array
}

interface RawStep {
  frame?: unknown
  event?: string
  raw?: string
}

export function fixtures(protocol: string): Fixture[] {
  const folder = new URL(`fixtures/${protocol}/`, import.meta.url)
  return readdirSync(folder)
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => {
      const lines = readFileSync(new URL(file, folder), 'utf8').trim().split('\n')
      const [metadata, , ...steps] = lines.map((line) => JSON.parse(line))
      const text = steps.map(frameText).join('')
      return {
        name: file.replace('.jsonl', ''),
        scenario: metadata.scenario,
        bytes: (newline = '\n') => new TextEncoder().encode(text.replaceAll('\n', newline)),
      }
    })
}

function frameText(step: RawStep): string {
  if (step.raw !== undefined) return step.raw
  return `${step.event ? `event: ${step.event}\n` : ''}data: ${JSON.stringify(step.frame)}\n\n`
}
