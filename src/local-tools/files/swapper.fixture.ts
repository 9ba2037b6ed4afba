// A process that swaps two names as fast as it can: a folder and a link, a file and a link. renameat2(2) with RENAME_EXCHANGE
// leaves no moment without the name; Node does not have it, so Perl calls it.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { lstatSync } from 'node:fs'
import { arch } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { atTestEnd } from '../../../test/at-end.ts'

const renameat2 = new Map([
  ['x64', 316],
  ['arm64', 276],
]).get(arch())

const program = `
  my ($call, @names) = @ARGV;
  my $parent = getppid();
  for (my $round = 0; $round % 10000 || getppid() == $parent; $round++) {
    for (my $at = 0; $at < @names; $at += 2) { syscall($call + 0, -100, $names[$at], -100, $names[$at + 1], 2) }
  }`

export const canSwap =
  renameat2 !== undefined && spawnSync('perl', ['-e', 'exit 0'], { stdio: 'ignore' }).status === 0

/** Runs until the end of the test. The first of each pair is the real one at the start. */
export async function startSwapping(pairs: readonly (readonly [string, string])[]): Promise<void> {
  const swapper = spawn('perl', ['-e', program, String(renameat2), ...pairs.flat()], { stdio: 'ignore' })
  atTestEnd(() => stop(swapper))
  const [first] = pairs[0] as readonly [string, string]
  while (!lstatSync(first).isSymbolicLink() && swapper.exitCode === null) await setTimeout(1)
}

async function stop(swapper: ChildProcess): Promise<void> {
  if (swapper.exitCode !== null) return
  const ended = new Promise((done) => swapper.once('exit', done))
  swapper.kill('SIGKILL')
  await ended
}
