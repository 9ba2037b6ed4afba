// `dragoman inspect FOLDER`: opens recorded tapes in the inspector's page.

import { resolve } from 'node:path'
import { stopSignals } from '../base/platform/stop-signals.ts'
import { visibleLine } from '../base/visible-text.ts'
import { readEnvironment } from '../config/environment.ts'
import { openBrowser } from '../credentials/open-browser.ts'
import { CommandError } from '../process/command-error.ts'
import { err, out } from '../process/output.ts'
import { withProgress } from '../process/progress.ts'
import { startTapesInspector } from '../process/run-tapes-inspector.ts'
import { withTapeErrors } from './tape.ts'

export async function inspectTapes(
  path: string,
  flags: { config?: string; url?: string; keyFile?: string; open?: true },
): Promise<void> {
  const misplaced = (['url', 'keyFile', 'config'] as const).find((name) => flags[name] !== undefined)
  if (misplaced !== undefined)
    throw new CommandError(
      `--${misplaced === 'keyFile' ? 'key-file' : misplaced} is for a running gateway: leave it out to open tapes, or leave out ${path}.`,
      2,
    )
  const where = resolve(path)
  const { inspector, url, link, close } = await withTapeErrors(() => startTapesInspector(where))
  const stop = () => void close().then(() => process.exit(0))
  for (const signal of stopSignals()) process.once(signal, stop)
  const { files } = inspector
  out(`dragoman listening on ${url}\n`)
  out(`${files === 1 ? 'one tape file' : `${files} tape files`} in ${visibleLine(where)}; Ctrl-C ends this\n`)
  if (files === 0) err('There are no .jsonl files: `dragoman serve --record` makes some.\n')
  out(`Inspector: ${link}\n`)
  if (flags.open) openBrowser(link, readEnvironment())
  await withProgress('reading the tapes', inspector.read())
}
