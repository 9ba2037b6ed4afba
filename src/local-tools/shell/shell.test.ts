import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { isNightly } from '../../../test/depth.ts'
import { createPlayground, describeWithSandbox, type Playground, sandboxFor } from '../../../test/sandbox.ts'
import type { JobOf, Outcome, OutcomeOf } from '../../protocols/client-tools/job.ts'
import { ConfinedRoot } from '../files/confined-root.ts'
import { withEnvironment } from './process-tree.ts'
import type { Sandbox } from './sandbox.ts'
import { runShell, type ShellSettings } from './shell.ts'

const never = new AbortController().signal
type Chunk = [string, 'stdout' | 'stderr']

interface Shell extends Playground {
  run(
    job: Partial<JobOf<'shell'>> & { command: string },
    settings?: Partial<ShellSettings>,
    watch?: { signal?: AbortSignal; shown?: Chunk[] },
  ): Promise<OutcomeOf<'shell'>>
  outcome: (job: Partial<JobOf<'shell'>> & { command: string }) => Promise<Outcome>
}

async function createShell(playground: Playground, sandbox: Sandbox | undefined): Promise<Shell> {
  const root = await ConfinedRoot.open(playground.root)
  const limits = { timeoutMs: 20_000, outputBytes: 100_000, maxProcesses: 60, graceMs: 200 }
  const outcome: Shell['outcome'] = (job) =>
    runShell({ kind: 'shell', ...job }, { root, sandbox, ...limits }, { signal: never })
  const run: Shell['run'] = async (job, settings, { signal = never, shown = [] } = {}) => {
    const ended = await runShell(
      { kind: 'shell', ...job },
      { root, sandbox, ...limits, ...settings },
      { signal, onOutput: (chunk, stream) => shown.push([chunk, stream]) },
    )
    if (ended.kind !== 'shell') throw new Error(JSON.stringify(ended))
    return ended
  }
  return { ...playground, run, outcome }
}

/** With and without a sandbox. */
function describeShell(start: () => Promise<Shell>) {
  let shell: Shell
  beforeAll(async () => {
    shell = await start()
    mkdirSync(join(shell.root, 'folder with "quotes"'))
    symlinkSync(shell.outside, join(shell.root, 'way-out'))
    symlinkSync(join(shell.outside, 'nowhere'), join(shell.root, 'way-nowhere'))
    symlinkSync('folder with "quotes"', join(shell.root, 'way-in'))
    writeFileSync(join(shell.root, 'file'), '')
  })

  it.each([
    ['echo hi; echo oops >&2; exit 3', { stdout: 'hi\n', stderr: 'oops\n', exitCode: 3 }],
    ['echo hi > /dev/stdout; echo oops > /dev/stderr', { stdout: 'hi\n', stderr: 'oops\n', exitCode: 0 }],
    [`printf '%s|' 'it'"'"'s' "a  b" $(echo c d) \`echo e\``, { stdout: "it's|a  b|c|d|e|" }],
    ['echo one\necho two # and\n\necho "three\nfour"', { stdout: 'one\ntwo\nthree\nfour\n' }],
    ['cat <<EOF\n$((1+1)) "quoted" \\$x\nEOF', { stdout: '2 "quoted" $x\n' }],
    ['[[ abc == a* ]] && echo "is $BASH"', { stdout: expect.stringMatching(/^is \S+bash$/m) }],
    ['-c "echo no"', { exitCode: 127 }],
    ['--version', { exitCode: 127 }],
    ['read line; echo "got: $line, $?"; cat; wc -c', { stdout: 'got: , 1\n0\n' }],
    ['kill -9 $$', { exitCode: 137 }],
    ['printf "a\\0b\\xff\\xc3\\xa4\\x1b[31m"', { stdout: 'a\ufffdb\ufffd\u00e4\x1b[31m' }],
    ['if', { exitCode: 2, stderr: expect.stringContaining('syntax error') }],
    ['sleep 60 & echo started', { stdout: 'started\n', exitCode: 0 }],
    ['echo $DRAGOMAN_TEST_SECRET; env | grep -c "^\\(NODE\\|VITEST\\|npm_\\|SSH_\\)"', { stdout: '\n0\n' }],
    ['ulimit -c; ulimit -f; truncate -s 3G big; stat -c %s big', { stdout: '0\n2097152\n0\n' }],
    ['test -t 0 || test -t 1 || echo "no terminal, $TERM, $PAGER"', { stdout: 'no terminal, dumb, cat\n' }],
  ])('%j', async (command, expected) => {
    process.env.DRAGOMAN_TEST_SECRET = 'told'
    const ended = await shell.run({ command }).finally(() => {
      delete process.env.DRAGOMAN_TEST_SECRET
    })
    expect(ended).toMatchObject(expected)
  })

  it.each([
    ['.', ''],
    ['folder with "quotes"', '/folder with "quotes"'],
    ['way-in', '/folder with "quotes"'],
    ['way-in/..', ''],
  ])('works in %s', async (workingDirectory, path) => {
    expect(await shell.run({ command: 'pwd', workingDirectory })).toMatchObject({
      stdout: `${shell.root}${path}\n`,
    })
  })

  it('works in an absolute path inside the root', async () => {
    const workingDirectory = join(shell.root, 'way-in')
    const { stdout } = await shell.run({ command: 'basename "$PWD"', workingDirectory })
    expect(stdout).toBe('folder with "quotes"\n')
  })

  it.each([
    [{ workingDirectory: '..' }, { denied: true }],
    [{ workingDirectory: '/' }, { denied: true }],
    [{ workingDirectory: '/etc' }, { denied: true }],
    [{ workingDirectory: 'way-out' }, { denied: true }],
    // The error does not reveal whether an outside path exists.
    [{ workingDirectory: '/etc/nowhere' }, { denied: true }],
    [{ workingDirectory: '../nowhere' }, { denied: true }],
    [{ workingDirectory: 'way-nowhere' }, { denied: true }],
    [{ workingDirectory: 'way-out/../outside' }, { denied: true }],
    [{ workingDirectory: 'nowhere' }, { notFound: true }],
    [{ workingDirectory: 'file' }, { error: expect.stringContaining('uses something as a folder') }],
    [{ workingDirectory: 'a\0b' }, { error: expect.stringContaining('NUL') }],
    [{ command: 'echo a\0; touch made' }, { error: expect.stringContaining('NUL') }],
    [{ command: ' \n' }, { error: 'The command is empty.' }],
    [
      { command: `: ${'x'.repeat(1_000_000)}; touch made` },
      { error: expect.stringContaining('Write it to a file') },
    ],
    [{ background: true }, { error: expect.stringContaining('foreground') }],
  ])('refuses %.80j', async (job, expected) => {
    expect(await shell.outcome({ command: 'touch made', ...job })).toMatchObject({
      kind: 'failed',
      ...expected,
    })
    expect(existsSync(join(shell.root, 'made'))).toBe(false)
  })

  it('accepts a command of the maximum length on Linux', async () => {
    const command = `x=${'\u00e4'.repeat(60_000)}; echo \${#x}`
    expect(await shell.run({ command })).toMatchObject({ stdout: '60000\n' })
  })

  it('shows output as it comes, and the same in the end', async () => {
    const shown: Chunk[] = []
    const started = shell.run(
      { command: 'echo one; echo two >&2; until test -e go; do sleep 0.01; done; echo three' },
      {},
      { shown },
    )
    while (shown.length < 2) await sleep(5)
    writeFileSync(join(shell.root, 'go'), '')
    expect(await started).toMatchObject({ stdout: 'one\nthree\n', stderr: 'two\n', truncated: false })
    expect(shown.toSorted()).toEqual([
      ['one\n', 'stdout'],
      ['three\n', 'stdout'],
      ['two\n', 'stderr'],
    ])
  })

  it.runIf(isNightly)('ends a slow command with SIGTERM first', async () => {
    const ended = await shell.run(
      { command: 'trap "echo asked; exit 0" TERM; echo begun; while :; do sleep 0.02; done' },
      { timeoutMs: 2_000 },
    )
    expect(ended).toMatchObject({ timedOut: true, exitCode: 143, stdout: 'begun\nasked\n' })
    expect(ended.stderr).toContain('[dragoman: ended after 2000 ms, the time limit]\n')
  })

  it('ends a command that ignores SIGTERM', async () => {
    const command = 'trap "" TERM; (trap "" TERM; while :; do sleep 0.1; done) & while :; do sleep 0.1; done'
    // So long that the shell sets its traps first, on a loaded machine too.
    const ended = await shell.run({ command }, { timeoutMs: 2_000, graceMs: 50 })
    expect(ended).toMatchObject({ timedOut: true, exitCode: 137 })
  })

  it('honours the timeout of a job, up to the limit', async () => {
    const quick = await shell.run({ command: 'sleep 60', timeoutMs: 50 })
    expect(quick.stderr).toContain('after 50 ms')
    const slow = await shell.run({ command: 'sleep 60', timeoutMs: 600_000 }, { timeoutMs: 100 })
    expect(slow.stderr).toContain('after 100 ms')
  })

  it('ends at once when canceled', async () => {
    const canceling = new AbortController()
    const shown: Chunk[] = []
    const started = shell.run(
      { command: 'trap "" TERM; echo begun; sleep 60' },
      {},
      { signal: canceling.signal, shown },
    )
    while (shown.length === 0) await sleep(5)
    canceling.abort()
    expect(await started).toMatchObject({ exitCode: 137, stdout: 'begun\n' })
    const late = await shell.run({ command: 'sleep 60; touch made' }, {}, { signal: canceling.signal })
    expect(late.exitCode).toBe(137)
  })

  it('ends a command that writes forever', async () => {
    const ended = await shell.run({ command: 'yes' }, { outputBytes: 1000 })
    expect(ended).toMatchObject({ truncated: true, exitCode: 137 })
    expect(ended.stdout.length).toBeLessThan(1100)
    expect(ended.stdout).toContain('[dragoman: the output is cut here: 1000 bytes are the limit]')
    expect(ended.stderr).toContain('ended, for it wrote more than 32000 bytes')
  })

  it('lets a verbose command finish', async () => {
    const ended = await shell.run({ command: 'seq 3000; echo done > done' }, { outputBytes: 1000 })
    expect(ended).toMatchObject({ truncated: true, exitCode: 0, stderr: '' })
    expect(readFileSync(join(shell.root, 'done'), 'utf8')).toBe('done\n')
  })

  it.each([
    // Fork bombs that burn out if they are not ended.
    ['a fork bomb', 'f() { [ $1 = 0 ] || f $(($1-1)) | f $(($1-1)); sleep 20; }; f 9'],
    ['one whose parents are gone', 'f() { [ $1 = 0 ] || (f $(($1-1)) & f $(($1-1)) &); sleep 20; }; f 9'],
    [
      'one that leaves the group',
      'f() { [ $1 = 0 ] || (setsid bash -c "f $(($1-1))" & f $(($1-1)) &); sleep 20; }; export -f f; f 7',
    ],
    ['many sleepers', 'for i in $(seq 300); do sleep 60 & done; wait'],
  ])('ends %s', async (_, command) => {
    const mark = `DRAGOMAN_TEST_MARK=${process.hrtime.bigint()}`
    const ended = await shell.run({ command: `export ${mark}\n${command}` })
    expect(ended.exitCode).toBeGreaterThan(127)
    expect(ended.stderr).toContain('ended, for it had more than 60 processes at once')
    await untilNone(mark)
  })

  it('leaves no process', async () => {
    const mark = `DRAGOMAN_TEST_MARK=${process.hrtime.bigint()}`
    const command = `export ${mark}; setsid sleep 61 & nohup sleep 61 >/dev/null 2>&1 & (setsid sh -c "sleep 61; :" &) ; (sleep 61 & disown); sleep 0.05; echo done`
    expect(await shell.run({ command })).toMatchObject({
      stdout: expect.stringContaining('done'),
      exitCode: 0,
    })
    await untilNone(mark)
  })
}

async function untilNone(mark: string): Promise<void> {
  for (let tries = 0; withEnvironment(mark).length > 0 && tries < 100; tries++) await sleep(10)
  expect(withEnvironment(mark)).toEqual([])
}

describeWithSandbox('a command in the sandbox', () => {
  describeShell(async () => {
    const playground = createPlayground()
    return createShell(playground, await sandboxFor(playground.root))
  })
})

describe('a command without a sandbox', () => {
  describeShell(async () => createShell(createPlayground(), undefined))

  it("has the user's home", async () => {
    const shell = await createShell(createPlayground(), undefined)
    expect(await shell.run({ command: 'echo "$HOME"' })).toMatchObject({ stdout: `${homedir()}\n` })
  })
})
