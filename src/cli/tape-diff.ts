import { CommandError } from '../process/command-error.ts'
import { out, outJson } from '../process/output.ts'
import { bytesOf, clientSide, type Difference, type Excerpt, firstDifference } from '../tapes/client-side.ts'
import { withoutSecrets } from '../tapes/find-secrets.ts'
import { duration, plural } from '../tapes/format.ts'
import { normalised } from '../tapes/normalise.ts'
import type { ReadTape } from '../tapes/read.ts'
import { tapesOf, withTapeErrors } from './tape.ts'

export function diff(a: string, b: string, flags: { folder?: string; json?: boolean }): Promise<void> {
  return withTapeErrors(() => {
    const [one, other] = [a, b].map((wanted) => tapesOf(wanted, flags.folder).tapes) as [
      ReadTape[],
      ReadTape[],
    ]
    if (one.length !== other.length)
      throw new CommandError(
        `${a} holds ${plural(one.length, 'turn')}, ${b} holds ${other.length}: name the turns to compare`,
        2,
      )
    const found = one.map((tape, at) => compare(tape, other[at] as ReadTape))
    if (flags.json) outJson(found)
    else for (const { turns, difference, bytes } of found) out(words(turns, difference, bytes))
    if (found.some(({ difference }) => difference)) process.exitCode = 1
  })
}

const sideOf = (tape: ReadTape) => normalised(clientSide(withoutSecrets(tape).frames))

function compare(one: ReadTape, other: ReadTape) {
  const [a, b] = [sideOf(one), sideOf(other)]
  return { turns: [one.turn, other.turn], difference: firstDifference(a, b), bytes: bytesOf(a) }
}

function words([one, other]: string[], difference: Difference | undefined, bytes: number): string {
  if (!difference)
    return `${one} and ${other}: the client sides are the same but for ids and times (${bytes} bytes)\n`
  return differenceWords(difference, { one: String(one), other: String(other) })
}

/** Both sides of the first difference, each with its place. */
export function differenceWords(
  { what, one, other }: Difference,
  names: { one: string; other: string },
): string {
  const title = `the first difference is in the ${what}:\n`
  const width = Math.max(names.one.length, names.other.length)
  return `${title}${side(names.one.padEnd(width), one)}${side(names.other.padEnd(width), other)}`
}

const side = (name: string, excerpt: Excerpt | undefined) =>
  excerpt === undefined
    ? `  ${name}  has nothing (more) there\n`
    : `  ${name}  frame ${excerpt.frame}, at ${duration(excerpt.at)}: ${excerpt.text.replace(/\n/g, '\\n')}\n`
