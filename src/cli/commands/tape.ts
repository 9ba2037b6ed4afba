// `dragoman tape`: recorded turns.

import { type Command, Option } from 'commander'
import { jsonFlag, speed } from '../flags.ts'

export function addTape(program: Command): void {
  const tape = program
    .command('tape')
    .description('recorded turns (`serve --record`): list, show, compare, replay, export')
  const folderFlag = () =>
    new Option(
      '--folder <folder>',
      'folder in which to find a turn by its id (default: from the configuration)',
    )
  tape
    .command('ls')
    .description('list the tapes of a folder')
    .argument('[folder]', 'the folder (default: from the configuration)')
    .addOption(jsonFlag())
    .action(async (folder, flags) => (await import('../tape.ts')).list(folder, flags))
  tape
    .command('show')
    .description('show a turn: request, upstream request, answer, times; secrets are masked')
    .argument('<tape>', 'a file, or the id of a turn')
    .option('--frames', 'every frame, decoded')
    .option('--blobs', "Cursor: the run's blobs: kind, role, content, and which side requested them")
    .addOption(folderFlag())
    .addOption(jsonFlag())
    .action(async (wanted, flags) => (await import('../tape-show.ts')).show(wanted, flags))
  tape
    .command('diff')
    .description('compare two answers, ignoring ids and times; exit code 0 equal, 1 different, 2 no tape')
    .argument('<a>', 'a file, or the id of a turn')
    .argument('<b>', 'another')
    .addOption(folderFlag())
    .addOption(jsonFlag())
    .action(async (a, b, flags) => (await import('../tape-diff.ts')).diff(a, b, flags))
  tape
    .command('replay')
    .description('replay the upstream side and compare the answer byte for byte; exit codes of diff')
    .argument('<tape>', 'a file, or the id of a turn')
    .addOption(
      new Option(
        '--speed <factor>',
        'keep the pauses of the tape: 1 as recorded, 2 twice as fast (default: no pauses)',
      ).argParser(speed),
    )
    .addOption(folderFlag())
    .addOption(jsonFlag())
    .action(async (wanted, flags) => (await import('../tape-replay.ts')).replay(wanted, flags))
  tape
    .command('export')
    .description('write a turn and its follow-ups to one file to share; refuses while it holds secrets')
    .argument('<tape>', 'a file, or the id of a turn')
    .option('-o, --output <file>', 'output file (default: standard output)')
    .option('--scrub', 'replace what looks like a secret')
    .addOption(folderFlag())
    .action(async (wanted, flags) => (await import('../tape-export.ts')).exportTape(wanted, flags))
}
