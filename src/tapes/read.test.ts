import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { fuzzShare } from '../../test/fuzz/settings.ts'
import { frameProblem } from './check-frame.ts'
import { withEarlier } from './earlier-turns.ts'
import { findTape } from './folder.ts'
import { madeTape } from './read.fixture.ts'
import { parseTapes, readTapeFile, TapeError } from './read.ts'
import { linesOf } from './tape-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'dragoman-tapes-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const whole = linesOf([madeTape()])
const lines = whole.trimEnd().split('\n')

function problemOf(text: string | Buffer, name = 'tape.jsonl'): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return problemOfFile(path)
}

function problemOfFile(path: string): string {
  try {
    readTapeFile(path)
    return 'none'
  } catch (error) {
    expect(error).toBeInstanceOf(TapeError)
    return (error as TapeError).problem
  }
}

const withLine = (number: number, line: string) => lines.with(number - 1, line).join('\n')
const changed = (number: number, change: Record<string, unknown>) =>
  withLine(number, JSON.stringify({ ...JSON.parse(lines[number - 1] ?? ''), ...change }))

describe('an unreadable path or a head that is nested too deep', () => {
  it('fails at once', () => {
    execFileSync('mkfifo', [join(folder, 'fifo.jsonl')])
    expect(problemOfFile(join(folder, 'fifo.jsonl'))).toBe('is a pipe (FIFO), not a file')
    expect(problemOfFile('/dev/zero')).toBe('is not a tape: it is a device, not a file')
    expect(() => findTape('turn_none', folder)).toThrow('is neither a file nor the id of a turn')
  })

  it('is reported with its line if a field of the head is nested 200,000 deep', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    const head = `${(lines[0] ?? '').slice(0, -1)},"more":${deep}}`
    expect(problemOf(withLine(1, head))).toBe('line 1 is nested too deeply')
  })
})

describe('a tape', () => {
  it('is read as written', () => {
    const [tape] = parseTapes(whole, 'x')
    expect(tape && linesOf([tape])).toBe(whole)
    expect(tape).toMatchObject({ turn: 'turn_a', line: 1, head: { origin: 'made' } })
    expect(tape?.lines).toEqual(tape?.frames.map((_, at) => at + 2))
  })

  it('may have a byte order mark, carriage returns, blank lines and unknown fields', () => {
    expect(problemOf(`\ufeff${whole.replaceAll('\n', '\r\n')}\n\n`)).toBe('none')
    expect(problemOf(changed(2, { more: 1 }))).toBe('none')
  })

  it('may follow another tape in the same file', () => {
    const tapes = parseTapes(whole + linesOf([madeTape('turn_b', { continues: 'turn_a' })]), 'x')
    expect(tapes.map(({ turn }) => turn)).toEqual(['turn_a', 'turn_b'])
    expect(tapes[1]?.line).toBe(lines.length + 1)
  })
})

describe('a file of another kind is recognized', () => {
  const log = {
    time: '2026-01-01T00:00:00Z',
    turn: 'turn_a',
    key: 'me',
    model: 'm',
    backend: 'b',
    outcome: 'stop',
  }
  it.each([
    ['an empty file', '', 'is not a tape: it is empty'],
    ['blanks', ' \n\n', 'is not a tape: it is empty'],
    ['words', 'hello\n', 'is not a tape: its first line (1) is not JSON: "hello"'],
    ['a number', '7\n', 'is not a tape: its first line (1) has no "tape"'],
    ['other JSON', '{"a":1}\n', 'is not a tape: its first line (1) has no "tape"'],
    ['a usage log', `${JSON.stringify(log)}\n`, "is not a tape: it looks like a gateway's usage log"],
    [
      'a HAR file',
      JSON.stringify({ log: { version: '1.2', entries: [] } }, undefined, 2),
      "a browser's HAR file",
    ],
    ['a batch file', '{"custom_id":"a","method":"POST","url":"/v1/x"}\n', 'an OpenAI batch file'],
    ['a training file', '{"messages":[]}\n', 'a list of conversations'],
    ['a script', '{"script":1,"kind":"openai"}\n', "a simulator's script"],
    ['frames alone', `${lines.slice(1).join('\n')}\n`, 'a tape without its first line'],
    ['bytes', Buffer.from([1, 0, 2, 3]), 'is not a tape: it is binary'],
    ['another encoding', Buffer.from('{"tape":1}\xe4\n', 'latin1'), 'is not a tape: it is not UTF-8'],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0]), 'is compressed with gzip'],
  ])('%s', (_name, text, problem) => {
    expect(problemOf(text)).toContain(problem)
  })

  it('a folder, a missing file and an unreadable file are reported', () => {
    expect(problemOfFile(folder)).toContain('is a folder; `dragoman tape ls FOLDER`')
    expect(problemOfFile(join(folder, 'none'))).toBe('there is no such file')
    expect(() => findTape('turn_none', folder)).toThrow(
      `is neither a file nor the id of a turn with a tape in ${folder}`,
    )
    expect(problemOfFile('/dev/zero')).toBe('is not a tape: it is a device, not a file')
    const huge = join(folder, 'huge.jsonl')
    writeFileSync(huge, whole)
    truncateSync(huge, 300 * 1024 * 1024)
    expect(problemOfFile(huge)).toBe('is not a tape: it is longer than 256 MiB')
    rmSync(huge)
    const path = join(folder, 'locked.jsonl')
    writeFileSync(path, whole)
    chmodSync(path, 0)
    if (process.getuid?.() !== 0) expect(problemOfFile(path)).toBe('may not be read by this user')
    rmSync(path)
  })
})

describe('damage is reported with its line', () => {
  it.each([
    [
      'a newer format',
      changed(1, { tape: 2 }),
      'line 1: the format is newer (2); this program reads format 1',
    ],
    ['an older one', changed(1, { tape: 0 }), 'line 1 has "tape", but no valid format number'],
    ['a head without its program', changed(1, { dragoman: 7 }), 'line 1: the head has no "dragoman"'],
    ['an origin', changed(1, { origin: 'found' }), `line 1: the head's "origin" is neither`],
    ['no JSON', withLine(4, 'oops'), 'line 4 is not JSON: "oops"'],
    ['a cut', whole.slice(0, -20), `line ${lines.length} is cut off: the file ends in the middle of it`],
    ['a list', withLine(3, '[]'), 'line 3 is not a frame: a frame is a JSON object'],
    [
      'cached tokens',
      whole.replace('"outputTokens":1', '"outputTokens":1,"cacheReadTokens":"many"'),
      'is a frame whose "cacheReadTokens" is not a number',
    ],
    ['no time', changed(3, { at: undefined }), 'line 3 is a frame without "at"'],
    ['a time', changed(3, { at: -1 }), 'line 3 is a frame whose "at" is not a number'],
    ['no turn', changed(3, { turn: undefined }), 'line 3 is a frame without "turn"'],
    [
      'a side',
      changed(3, { side: 'inside' }),
      'line 3 is a frame whose "side" is not one of client, upstream, run',
    ],
    [
      'a deed',
      changed(3, { do: 'sing' }),
      'line 3 is a frame of side "client" that does "sing", which none does',
    ],
    [
      'headers',
      changed(3, { headers: { a: 1 } }),
      'line 3 is a frame whose "headers" is not an object of texts',
    ],
    [
      'depth',
      changed(4, { settings: JSON.parse(`${'['.repeat(300)}${']'.repeat(300)}`) }),
      'line 4 is nested too deeply',
    ],
    ['a head alone', `${lines[0]}\n`, 'line 1 begins a tape without frames'],
  ])('%s', (_name, text, problem) => {
    expect(problemOf(text)).toContain(problem)
  })

  it('data with both or neither of text and base64', () => {
    const data = { at: 1, turn: 't', side: 'upstream', do: 'data', exchange: 1 }
    expect(frameProblem({ ...data, text: '' })).toBeUndefined()
    expect(frameProblem({ ...data, base64: 'AAAA' })).toBeUndefined()
    expect(frameProblem({ ...data, base64: 'A' })).toContain('"base64" is not base64')
    for (const more of [{}, { text: '', base64: '' }])
      expect(frameProblem({ ...data, ...more })).toContain('without either "text" or "base64"')
  })

  it('any input yields a tape or a TapeError', () => {
    const bytes = fc.uint8Array({ maxLength: 200 }).map((one) => Buffer.from(one))
    const jsons = fc
      .array(fc.jsonValue(), { maxLength: 5 })
      .map((values) => values.map((one) => JSON.stringify(one)).join('\n'))
    const cuts = fc
      .tuple(fc.nat(whole.length), fc.nat(40))
      .map(([at, length]) => whole.slice(0, at) + whole.slice(at + length))
    const fields = fc
      .tuple(
        fc.nat(lines.length - 1),
        fc.constantFrom('at', 'turn', 'side', 'do', 'headers', 'tape', 'text'),
        fc.jsonValue(),
      )
      .map(([at, name, value]) => changed(at + 1, { [name]: value }))
    fc.assert(
      fc.property(fc.oneof(bytes, jsons, cuts, fields), (text) => {
        const path = join(folder, 'fuzz.jsonl')
        writeFileSync(path, text)
        problemOfFile(path)
      }),
      fuzzShare(0.4),
    )
  })
})

describe('tapes that belong together', () => {
  const write = (name: string, ...tapes: ReturnType<typeof madeTape>[]) => {
    const path = join(folder, name)
    writeFileSync(path, linesOf(tapes))
    return readTapeFile(path)
  }

  it('are found in the same folder or the same file', () => {
    write('1.jsonl', madeTape('turn_1'))
    write('2.jsonl', madeTape('turn_2', { continues: 'turn_1' }))
    const third = write('3.jsonl', madeTape('turn_3', { continues: 'turn_2' }))
    expect(withEarlier(third).map(({ turn }) => turn)).toEqual(['turn_1', 'turn_2', 'turn_3'])
    const both = write('both.jsonl', madeTape('turn_4'), madeTape('turn_5', { continues: 'turn_4' }))
    expect(withEarlier(both).map(({ turn }) => turn)).toEqual(['turn_4', 'turn_5'])
    expect(withEarlier(both, 'turn_5').map(({ turn }) => turn)).toEqual(['turn_4', 'turn_5'])
    expect(withEarlier(both, 'turn_4').map(({ turn }) => turn)).toEqual(['turn_4'])
    expect(findTape('turn_5', folder).path).toBe(both.path)
  })

  it('are named when they are missing', () => {
    const file = write('alone.jsonl', madeTape('turn_x', { continues: 'turn_gone' }))
    expect(() => withEarlier(file)).toThrow('turn_x continues turn_gone, whose tape is neither')
  })
})
